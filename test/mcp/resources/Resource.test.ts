/** Addresses of resources: the segments of an address are read back, and a foreign address matches nothing. */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { addressOf, match, type Resource } from "../../../src/mcp/resources/Resource.ts"

const pattern: Resource = {
  uri: "k3://sessions/{session}/state/{path}",
  name: "variable",
  title: "",
  description: "",
  mimeType: "text/plain",
  priority: 0,
  read: () => Effect.succeed(""),
}

it("segments are read back from their address, whatever their text", () => {
  const segment = fc.string({ unit: "grapheme", minLength: 1 })
  fc.assert(
    fc.property(fc.stringMatching(/^[\w.-]{1,64}$/), segment, (session, path) => {
      expect(match(pattern, addressOf(pattern, { session, path }))).toEqual({ session, path })
      expect(match(pattern, addressOf(pattern, { session: `${session}/`, path }))).toBeUndefined()
    }),
  )
})

it.each([
  ["too few segments", "k3://sessions/main/state"],
  ["too many", "k3://sessions/main/state/a/b"],
  ["an empty one", "k3://sessions//state/a"],
  ["another scheme", "https://sessions/main/state/a"],
  ["a dot is a dot", "k3:§§sessions§main§state§a"],
  ["half an escape", "k3://sessions/main/state/%4"],
  ["no UTF-8", "k3://sessions/main/state/%ff"],
  ["a question", "k3://sessions/main/state/a?b"],
])("no address of ours: %s", (_, address) => {
  expect(match(pattern, address)).toBeUndefined()
})

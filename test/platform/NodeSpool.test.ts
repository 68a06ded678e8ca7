/** The private temporary files of long outputs. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { layer } from "../../src/platform/NodeSpool.ts"
import { Spool } from "../../src/session/output/Spool.ts"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const textIn = (read: Effect.Effect<Uint8Array>): Promise<string> =>
  Effect.runPromise(Effect.map(read, (each) => new TextDecoder().decode(each)))

it("T1 a closed file gives no bytes of the file that is opened next, and a read under way gives its own", async () => {
  const { open } = await Effect.runPromise(Effect.provide(Spool, layer))
  const one = open()!
  one.write(bytes("one"), 0)
  const underWay = textIn(one.read(0, 3))
  one.close()
  const other = open()!
  other.write(bytes("other"), 0)
  expect(await textIn(one.read(0, 5))).toBe("")
  expect(await underWay).toBe("one")
  const next = open()!
  next.write(bytes("next"), 0)
  expect(await textIn(one.read(0, 4))).toBe("")
  expect(await textIn(other.read(0, 5))).toBe("other")
  for (const file of [other, next]) file.close()
})

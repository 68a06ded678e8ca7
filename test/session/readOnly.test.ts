/** The sessions of a caller with read-only access. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { readOnly } from "../../src/session/readOnly.ts"

it("a read-only caller gets a session that is listed or stored, and makes no other", async () => {
  const named = (name: string) => ({ name, snapshots: {} })
  const sessions = readOnly({
    get: (name: string) => Effect.succeed(named(name)),
    // A session on its way to another machine of a cluster is not found.
    find: (name: string) => Effect.succeed(name === "open" ? named(name) : undefined),
    list: Effect.succeed([named("open"), named("moving")]),
    disk: Effect.succeed({ stored: [named("stored")] }),
    definitions: {},
  } as never)
  for (const name of ["open", "moving", "stored"]) expect(await Effect.runPromise(sessions.get(name))).toMatchObject({ name })
  expect(await Effect.runPromise(Effect.flip(sessions.get("none")))).toMatchObject({ _tag: "NoSession", open: ["open", "moving"] })
})

/** N1, N5: the watching of resources outlives a defect, and ends with its client. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { Bridge } from "../../src/mcp/bridge.ts"
import type { Services } from "../../src/mcp/resources/Resource.ts"
import { type Speaker, Updates } from "../../src/mcp/Updates.ts"
import { Sessions } from "../../src/session/Sessions.ts"

const silent: Speaker = {
  sendToolListChanged: async () => {},
  sendResourceListChanged: async () => {},
  sendResourceUpdated: async () => {},
}

/** A client that watches an address; counts how often changes are looked for. */
const watching = Effect.gen(function* () {
  const looked = { times: 0, fails: false }
  const list = Effect.suspend(() => {
    looked.times++
    return looked.fails ? Effect.die(new Error("no answer")) : Effect.succeed([])
  })
  const sessions = { list } as unknown as Sessions["Service"]
  const context = yield* Effect.context()
  const services = <A>(effect: Effect.Effect<A, never, Services>) =>
    Effect.provideService(effect as Effect.Effect<A, never, Sessions>, Sessions, sessions)
  const bridge: Bridge<Services> = {
    fork: (effect) => Effect.runForkWith(context)(services(effect)),
    promise: (effect) => Effect.runPromiseWith(context)(services(effect)),
  }
  const updates = new Updates(bridge)
  updates.attach(silent, "legacy")
  updates.restore(["k3://sessions/main"])
  return { updates, looked }
})

const seconds = (count: number) =>
  Effect.repeat(
    Effect.andThen(
      TestClock.adjust("1 second"),
      Effect.promise(() => new Promise(setImmediate)),
    ),
    { times: count - 1 },
  )

it.effect("N5 a client that has ended is no longer looked for changes, also when it subscribes at that moment", () =>
  Effect.gen(function* () {
    const { updates, looked } = yield* watching
    yield* seconds(3)
    assert.strictEqual(looked.times, 3)
    updates.end()
    yield* seconds(2)
    const { times } = looked
    updates.restore(["k3://sessions/main"])
    yield* seconds(10)
    assert.strictEqual(looked.times, times)
  }),
)

it.effect("N1 a client is looked for changes again after a look that failed", () =>
  Effect.gen(function* () {
    const { looked } = yield* watching
    looked.fails = true
    yield* seconds(2)
    assert.strictEqual(looked.times, 2)
    looked.fails = false
    yield* seconds(2)
    assert.strictEqual(looked.times, 4)
  }),
)

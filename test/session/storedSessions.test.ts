/** Stored sessions by name, and the names that the server chooses for new ones. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { NameTaken, SessionClosed } from "../../src/session/SessionError.ts"
import { makeStoredSessions } from "../../src/session/storedSessions.ts"
import type { Store, StoredSession } from "../../src/store/Store.ts"

interface There {
  readonly open?: readonly string[]
  readonly stored?: readonly string[]
  /** The names of the sessions with a history. */
  readonly recorded?: readonly string[]
}

/** The store and the number of histories that are read. The store never lists all sessions. */
const choosing = ({ open = [], stored = [], recorded = [] }: There) => {
  const sessions = stored.map((name): StoredSession => ({ name, engine: "embedded", variables: 1, savedAt: 0 }))
  const session = (name: string) => Effect.succeed(sessions.filter((each) => each.name === name))
  const store = { session, sessions: Effect.die("all sessions were read") } as unknown as Store["Service"]
  let read = 0
  const history = (name: string) => Effect.sync(() => (read++, { last: recorded.includes(name) ? 3 : 0 }))
  const made = makeStoredSessions(store, Effect.succeed(open.map((name) => ({ name }))), history)
  return { ...made, read: () => read }
}

it.effect("S14 all others are reset when one that is only stored cannot be, as when its machine is lost", () =>
  Effect.gen(function* () {
    const sessions = ["s1", "s2"].map((name): StoredSession => ({ name, engine: "embedded", variables: 1, savedAt: 0 }))
    const store = { sessions: Effect.succeed(sessions) } as unknown as Store["Service"]
    const { resetAll } = makeStoredSessions(store, Effect.succeed([{ name: "s3" }]), () => Effect.succeed({ last: 0 }))
    const asked: string[] = []
    const reset = (name: string) =>
      Effect.suspend(() => {
        asked.push(name)
        return name === "s1" ? new SessionClosed({ session: name }) : Effect.succeed({ how: "cleared" as const, generation: 0 })
      })
    assert.deepStrictEqual(yield* Effect.flip(resetAll(reset)), new SessionClosed({ session: "s1" }))
    assert.deepStrictEqual(asked, ["s1", "s2", "s3"])
  }),
)

const upTo = (n: number): readonly string[] => Array.from({ length: n }, (_, i) => `s${i + 1}`)

it.effect("S15 one session is found in the store without a look at the others", () =>
  Effect.gen(function* () {
    const { storedOne, isStored } = choosing({ open: ["s1"], stored: ["s1", "s2", "s3"] })
    assert.strictEqual((yield* storedOne("s2"))?.name, "s2")
    assert.deepStrictEqual(yield* Effect.forEach(["s1", "s3", "s4"], isStored), [false, true, false])
  }),
)

describe("S15 the name of a new session", () => {
  for (const n of [0, 1, 2, 3, 4, 5, 11, 100])
    it.effect(`is the first free one after ${n} closed sessions`, () =>
      Effect.gen(function* () {
        const { named } = choosing({ recorded: upTo(n) })
        assert.strictEqual(yield* named(undefined, Effect.succeed), `s${n + 1}`)
        assert.strictEqual(yield* named(undefined, Effect.succeed), `s${n + 2}`)
      }),
    )

  it.effect("is that of no open, stored or closed session, whatever gaps there are", () =>
    Effect.gen(function* () {
      for (let seed = 0; seed < 300; seed++) {
        const some = (salt: number) => upTo(12).filter((_, n) => ((seed + 1) * (n + salt) * 2_654_435_761) % 97 < 60)
        const there = { open: some(1), stored: some(5), recorded: some(11) }
        const chosen = yield* choosing(there).named(undefined, Effect.succeed)
        assert.notInclude([...there.open, ...there.stored, ...there.recorded], chosen)
      }
    }),
  )

  it.effect("is found in few reads of histories among thousands of closed sessions", () =>
    Effect.gen(function* () {
      const { named, read } = choosing({ recorded: upTo(5000) })
      assert.strictEqual(yield* named(undefined, Effect.succeed), "s5001")
      assert.isAtMost(read(), 30)
    }),
  )

  it.effect("is another one when somebody took it first", () =>
    Effect.gen(function* () {
      const { named } = choosing({})
      const taken = new Set(["s1", "s2"])
      const make = (name: string) =>
        taken.has(name) ? Effect.fail(new NameTaken({ what: "session", name, taken: [...taken] })) : Effect.succeed(name)
      assert.strictEqual(yield* named(undefined, make), "s3")
    }),
  )
})

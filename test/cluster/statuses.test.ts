/** The status of a session whose machine did not answer, over a scripted machine and clocks. */
import { assert, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Sharding } from "effect/cluster/Sharding"
import { TestClock } from "effect/testing"
import { type Asking, brief, makeAsking } from "../../src/cluster/asking.ts"
import { SessionOwners } from "../../src/cluster/SessionOwners.ts"
import { makeStatuses } from "../../src/cluster/statuses.ts"
import { status as render } from "../../src/mcp/render/status.ts"
import { statusReply } from "../../src/mcp/statusReply.ts"
import { SessionMoves } from "../../src/session/SessionError.ts"
import { Sessions } from "../../src/session/Sessions.ts"
import { Settings } from "../../src/Settings.ts"
import { settings } from "../lib/sessionLayers.ts"
import { idle } from "../mcp/fakeSessions.ts"

it("S12 a machine that did not answer is asked again after a while, also when the wall clock was set back meanwhile", () => {
  let wall = 1_800_000_000_000
  let monotonic = 5000
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => wall,
    currentTimeMillis: Effect.sync(() => wall),
    currentTimeNanosUnsafe: () => BigInt(wall) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(wall) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => BigInt(monotonic) * 1_000_000n,
    monotonicTimeNanos: Effect.sync(() => BigInt(monotonic) * 1_000_000n),
    sleep: () => Effect.never,
  }
  let asked = 0
  const read = () =>
    Effect.suspend(() => (++asked === 1 ? Effect.fail("no answer") : Effect.succeed({ isOpen: true, status: { generation: 7 } })))
  const body = Effect.gen(function* () {
    const { status } = yield* makeStatuses("local", { read } as unknown as Asking)
    const unreached = yield* status("main")
    assert.deepInclude(unreached, { generation: 0 })
    const connection = { server: "0.1.0", protocol: undefined }
    const disk = { folder: null, stored: [], trouble: [] }
    const { text } = render({ of: unreached, open: [], settings: settings(), disk, connection, caller: "agent", background: [] })
    assert.notInclude(text, "No build is on disk")
    assert.notInclude(text, "fence")
    monotonic += 1
    assert.deepInclude(yield* status("main"), { generation: 0 })
    assert.strictEqual(asked, 1)
    wall -= 3_600_000
    monotonic += 10_000
    assert.deepInclude(yield* status("main"), { generation: 7 })
  })
  const owners = SessionOwners.of({ of: () => Effect.succeed([]) } as unknown as SessionOwners["Service"])
  return Effect.runPromise(
    body.pipe(
      Effect.provideService(Settings, settings()),
      Effect.provideService(SessionOwners, owners),
      Effect.provideService(Clock.Clock, clock),
    ),
  )
})

it.effect(
  "S12 a request to a machine that stands still ends at its deadline, though its interruption waits for the machine, and names the problems of the database",
  () =>
    Effect.gen(function* () {
      const principal = { space: "local", limits: { sessions: 1, memory: null, evaluations: Infinity, calls: Infinity } }
      const trouble = ["The database does not answer."]
      const { read } = yield* makeAsking(principal, Effect.succeed(trouble))
      const asked = yield* Effect.forkChild(Effect.flip(read("Status", "main", {}, brief)), { startImmediately: true })
      yield* TestClock.adjust(brief)
      assert.deepStrictEqual(asked.pollUnsafe(), Exit.succeed(new SessionMoves({ session: "main", waitedMs: brief, trouble })))
    }).pipe(
      Effect.provideService(Settings, settings()),
      Effect.provideService(Sharding, {
        makeClient: () => Effect.succeed(() => ({ Status: () => Effect.uninterruptible(Effect.never) })),
      } as unknown as Sharding["Service"]),
    ),
)

it.effect("S12 k_status waits once for a machine that does not answer, not for each of its parts", () =>
  Effect.gen(function* () {
    const late = <A>(part: A) => Effect.delay(Effect.succeed(part), brief)
    const sessions = {
      crashes: { all: late([]) },
      status: () => late(idle),
      list: late([idle]),
      disk: late({ folder: null, stored: [], trouble: [] }),
      backgrounds: { list: late([]) },
    } as unknown as Sessions["Service"]
    const reply = yield* Effect.forkChild(Effect.provideService(statusReply("main"), Sessions, sessions), { startImmediately: true })
    yield* TestClock.adjust(brief)
    assert.deepInclude(reply.pollUnsafe(), { _tag: "Success" })
  }).pipe(Effect.provideService(Settings, settings())),
)

/** The lease of a machine's interpreters, over scripted children and a scripted database, under a virtual clock. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import type { LaunchFailed } from "../../src/child/ChildError.ts"
import { keeping, Lease, leased, leaseMs } from "../../src/cluster/Lease.ts"
import { OpenSpaces } from "../../src/cluster/OpenSpaces.ts"
import { SessionOwners } from "../../src/cluster/SessionOwners.ts"
import { Watchdog } from "../../src/cluster/Watchdog.ts"
import type { Session } from "../../src/session/Session.ts"
import { Sessions } from "../../src/session/Sessions.ts"
import { Script } from "../lib/scriptedChild.ts"
import { fails, settled } from "../lib/scriptedSession.ts"
import { scripted, settings } from "../lib/sessionLayers.ts"
import { Settings } from "../../src/Settings.ts"

const given = { engine: "embedded", evalTimeout: 1000, launchTimeout: 5000, restartCrashes: 2, restartCooldown: 4000 } as const

/** Scripted children under a lease. */
class Leased {
  /** The database does not answer. */
  isAway = false
  /** The next look at the database ends in a defect. */
  isBroken = false
  readonly watched = new Set<number>()
  readonly children = new Script()

  private readonly breaking = Effect.suspend(() => {
    this.isBroken = false
    return Effect.die("a defect")
  })

  readonly layer = Layer.merge(leased, keeping).pipe(
    Layer.provide(Lease.layer),
    Layer.provide([
      this.children.layer,
      Layer.succeed(Settings, settings(given)),
      Layer.succeed(Watchdog, {
        renew: () => {},
        watch: (pid) => void this.watched.add(pid),
        forget: (pid) => void this.watched.delete(pid),
      }),
      Layer.succeed(SessionOwners, {
        mine: Effect.suspend(() => (this.isBroken ? this.breaking : Effect.succeed(this.isAway ? undefined : []))),
      } as unknown as SessionOwners["Service"]),
      Layer.succeed(OpenSpaces, { held: () => [] } as unknown as OpenSpaces["Service"]),
    ]),
  )
}

const test = (name: string, body: (machine: Leased, session: Session, sessions: Sessions["Service"]) => Effect.Effect<void, unknown>) =>
  it.effect(name, () => {
    const machine = new Leased()
    return Effect.gen(function* () {
      const sessions = yield* Sessions
      yield* settled
      yield* body(machine, yield* sessions.get("main"), sessions)
    }).pipe(Effect.provide(scripted(machine, given)))
  })

const after = (ms: number) => Effect.andThen(TestClock.adjust(ms), settled)

/** The database goes away, and the watchdog kills the interpreters. */
const losing = Effect.fnUntraced(function* (machine: Leased) {
  machine.isAway = true
  yield* after(leaseMs)
  for (const each of machine.children.processes) if (each.alive()) each.exit({ code: null, signal: "SIGKILL" })
  yield* after(1000)
})

/** The database answers again, at the next look. */
const returning = Effect.fnUntraced(function* (machine: Leased) {
  machine.isAway = false
  yield* after(1000)
})

test("X4 while the database is away for longer than the lease, no interpreter is launched; then one is, with the variables", (machine, session) =>
  Effect.gen(function* () {
    yield* session.evaluate({ code: "b: 1" })
    yield* after(1000)
    // The database is away for less than the lease.
    machine.isAway = true
    yield* after(leaseMs - 2000)
    yield* returning(machine)
    assert.deepStrictEqual(machine.children.alive, [1001])
    yield* losing(machine)
    assert.strictEqual(machine.children.processes.length, 1)
    assert.strictEqual((yield* session.status).phase, "launching")
    const waiting = yield* Effect.forkChild(fails(session, "b"))
    yield* after(1000)
    assert.deepInclude(yield* Fiber.join(waiting), { _tag: "DeadlineExceeded", waiting: true, statement: "" })
    yield* returning(machine)
    assert.strictEqual((yield* session.evaluate({ code: "b" })).output, "1")
    assert.deepStrictEqual([...machine.watched], machine.children.alive)
  }))

test("X4 a reset in an outage fails in the time of a launch and says why; the session ends without waiting", (machine, session, sessions) =>
  Effect.gen(function* () {
    yield* session.evaluate({ code: "b: 1" })
    yield* losing(machine)
    const reset = yield* Effect.forkChild(Effect.flip(session.reset))
    yield* after(given.launchTimeout)
    const error = yield* Fiber.join(reset)
    assert.deepInclude(error, { _tag: "LaunchFailed", reason: "spawn" })
    assert.include((error as LaunchFailed).stderr, "the database of the cluster does not answer")
    const last = yield* Effect.forkChild(fails(session, "b"))
    yield* settled
    assert.strictEqual((yield* session.status).phase, "launching")
    yield* sessions.close("main")
    assert.strictEqual((yield* Fiber.join(last))._tag, "SessionClosed")
    yield* returning(machine)
    assert.strictEqual(machine.children.processes.length, 1)
  }))

test("X4 the lease is renewed after a look that ended in a defect", (machine, session) =>
  Effect.gen(function* () {
    yield* session.evaluate({ code: "b: 1" })
    machine.isBroken = true
    yield* after(leaseMs + 1000)
    assert.isFalse(machine.isBroken)
    machine.children.latest.exit({ code: null, signal: "SIGKILL" })
    yield* after(1000)
    assert.strictEqual((yield* session.status).phase, "ready")
  }))

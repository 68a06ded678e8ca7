/**
 * The lease under which this machine's interpreters live. It is renewed each time the database answers which sessions this machine has.
 *
 * Guarantees: the watchdog, a process beside this one, kills the interpreters when the lease was not renewed for `leaseMs`, even while this
 * process stands still. When the lease has run out, a launch waits for its renewal, at most as long as a launch may take, and then fails: the
 * watchdog would kill the interpreter, and its variables would be blamed for that. A session that another machine has taken ends here,
 * unwritten, at the next check. Does not: know whether another machine waits for a session.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import { Process, SpawnFailed } from "../child/Process.ts"
import { Relocation } from "../session/Sessions.ts"
import { loggingDefects } from "../loggingDefects.ts"
import { Settings } from "../Settings.ts"
import { SessionOwners } from "./SessionOwners.ts"
import { OpenSpaces } from "./OpenSpaces.ts"
import { Watchdog } from "./Watchdog.ts"

/** Time from the last renewal until the interpreters are killed, ms. Shorter than the locks of Effect Cluster (`tuning.ts`). */
export const leaseMs = 8000
const renewEvery = "1 second"
const notHeld = "the database of the cluster does not answer: without it no interpreter may run"

export class Lease extends Context.Service<
  Lease,
  {
    readonly renew: Effect.Effect<void>
    /** Waits until the lease holds. */
    readonly held: Effect.Effect<void>
  }
>()("k3-mcp/cluster/Lease") {
  static readonly layer = Layer.effect(
    Lease,
    Effect.gen(function* () {
      const { renew } = yield* Watchdog
      const holding = yield* Latch.make()
      const ending = yield* FiberHandle.make<boolean>()
      return Lease.of({
        renew: Effect.gen(function* () {
          renew()
          yield* holding.open
          yield* FiberHandle.run(ending, Effect.delay(holding.close, leaseMs))
        }),
        held: holding.await,
      })
    }),
  )
}

/** Launches processes while the lease holds, and gives their pids to the watchdog. */
export const leased: Layer.Layer<Process, never, Process | Watchdog | Lease | Settings> = Layer.effect(
  Process,
  Effect.gen(function* () {
    const { spawn } = yield* Process
    const { watch, forget } = yield* Watchdog
    const { launchTimeout: duration } = yield* Settings
    const held = Effect.timeoutOrElse((yield* Lease).held, { duration, orElse: () => new SpawnFailed({ reason: notHeld }) })
    return Process.of({
      spawn: (spec) =>
        Effect.tap(Effect.andThen(held, spawn(spec)), (running) =>
          Effect.sync(() => {
            const { pid } = running
            watch(pid)
            running.onExit(() => forget(pid))
          }),
        ),
    })
  }),
)

/** Renews the lease, and ends the sessions that another machine has taken. */
export const keeping = Layer.effectDiscard(
  Effect.gen(function* () {
    const { mine } = yield* SessionOwners
    const { renew } = yield* Lease
    const spaces = yield* OpenSpaces
    const check = Effect.gen(function* () {
      const held = spaces.held()
      const confirmed = yield* mine
      if (confirmed === undefined) return
      yield* renew
      const isMine = (space: string, session: string, epoch: number) =>
        confirmed.some((each) => each.space === space && each.session === session && each.epoch >= epoch)
      for (const { space, session, epoch } of held) {
        if (isMine(space, session, epoch) || spaces.epochs(space).get(session) !== epoch) continue
        spaces.epochs(space).delete(session)
        const opened = spaces.opened(space)
        if (opened !== undefined) yield* Context.get(opened, Relocation).leave(session, 0)
      }
    })
    const checkLogged = loggingDefects("A check of the sessions of this machine failed", check, Effect.void)
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(checkLogged, Effect.sleep(renewEvery))))
  }),
)

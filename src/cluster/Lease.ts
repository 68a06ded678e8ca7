/**
 * The lease under which this machine's interpreters live. It is renewed each time the database answers which sessions this machine has.
 *
 * Guarantees: the watchdog, a process beside this one, kills the interpreters when the lease was not renewed for `leaseMs`, even while this
 * process stands still. A session that another machine has taken ends here, unwritten, at the next look. Does not: know whether another machine
 * waits for a session.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Process } from "../child/Process.ts"
import { Relocation } from "../session/Sessions.ts"
import { SessionOwners } from "./SessionOwners.ts"
import { OpenSpaces } from "./OpenSpaces.ts"
import { Watchdog } from "./Watchdog.ts"

/** Time from the last renewal until the interpreters are killed, ms. Shorter than the locks of Effect Cluster (`tuning.ts`). */
export const leaseMs = 8000
const renewEvery = "1 second"

/** Launches processes and gives their pids to the watchdog. */
export const leased: Layer.Layer<Process, never, Process | Watchdog> = Layer.effect(
  Process,
  Effect.gen(function* () {
    const { spawn } = yield* Process
    const { watch, forget } = yield* Watchdog
    return Process.of({
      spawn: (spec) =>
        Effect.tap(spawn(spec), (running) =>
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
    const { renew } = yield* Watchdog
    const spaces = yield* OpenSpaces
    const look = Effect.gen(function* () {
      const held = spaces.held()
      const confirmed = yield* mine
      if (confirmed === undefined) return
      renew()
      const isMine = (space: string, session: string, epoch: number) =>
        confirmed.some((each) => each.space === space && each.session === session && each.epoch >= epoch)
      for (const { space, session, epoch } of held) {
        if (isMine(space, session, epoch) || spaces.epochs(space).get(session) !== epoch) continue
        spaces.epochs(space).delete(session)
        const opened = spaces.opened(space)
        if (opened !== undefined) yield* Context.get(opened, Relocation).leave(session, 0)
      }
    })
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, Effect.sleep(renewEvery))))
  }),
)

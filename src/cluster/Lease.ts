/**
 * The lease under which this machine's interpreters live: it is renewed while the database confirms that this machine has its sessions.
 *
 * Guarantees: what this machine launched is killed when the lease was not renewed for `leaseMs`, also when this process stands still: a
 * process beside it does that. A session that another machine has taken is ended here, unwritten, at the next look. Does not: know whether
 * another machine waits for it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Process } from "../child/Process.ts"
import { Residence } from "../session/Sessions.ts"
import { Epochs } from "./Epochs.ts"
import { Residents } from "./Residents.ts"
import { Watchdog } from "./Watchdog.ts"

/** From the last renewal to the end of the children, ms: less than the locks of Effect Cluster last (`tuning.ts`). */
export const leaseMs = 8000
const renewEvery = "1 second"

/** Processes that the watchdog knows. */
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

/** Renews the lease, and ends what another machine has. */
export const keeping = Layer.effectDiscard(
  Effect.gen(function* () {
    const { mine } = yield* Epochs
    const { renew } = yield* Watchdog
    const residents = yield* Residents
    const look = Effect.gen(function* () {
      const held = residents.held()
      const confirmed = yield* mine
      if (confirmed === undefined) return
      renew()
      const isMine = (space: string, session: string, epoch: number) =>
        confirmed.some((each) => each.space === space && each.session === session && each.epoch >= epoch)
      for (const { space, session, epoch } of held) {
        if (isMine(space, session, epoch) || residents.epochs(space).get(session) !== epoch) continue
        residents.epochs(space).delete(session)
        const opened = residents.opened(space)
        if (opened !== undefined) yield* Context.get(opened, Residence).leave(session, 0)
      }
    })
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, Effect.sleep(renewEvery))))
  }),
)

/**
 * A session's queue. Runs one job at a time, first come, first served. Each job is a fiber with a deadline.
 *
 * Guarantees: when its deadline passes or its caller is interrupted, a waiting job leaves the queue, and a running job is interrupted and keeps
 * the queue until it has ended. The caller hears of the end before the next job begins. All deadlines share one timer, and a
 * deadline later than that sets none. At most `limits.waiting` jobs wait. Does not: know what a job does.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import { limits } from "../limits.ts"
import { QueueFull } from "./SessionError.ts"

export interface Limit<A, E> {
  readonly ms: number
  /** What becomes of a job that was ended, or never begun, for want of time. */
  readonly late: Effect.Effect<A, E>
  /** What becomes of a job that `stop` ended; one without it is not stopped. */
  readonly stopped?: Effect.Effect<A, E>
  /** Only waiting is limited: what has begun is not ended. */
  readonly waits?: true
}

interface Job {
  /** Short: `tryRun` queues behind it instead of giving up. */
  readonly brief: boolean
  /** On the monotonic clock, ms; infinite once its time was over. */
  due: number
  readonly begin: () => void
  /** Its time is over. */
  readonly end: () => void
  /** Ends it once it runs; absent for one that is not to be stopped. `over` is called when it has ended. */
  readonly stop?: (over: () => void) => void
}

export class EvaluationQueue extends Context.Service<
  EvaluationQueue,
  {
    /** How many wait. */
    readonly waiting: () => number
    /** Something runs. */
    readonly busy: () => boolean
    /** Ends the job that runs, as its deadline would, and waits for its end; false when none runs that may be stopped. */
    readonly stop: Effect.Effect<boolean>
    /** Runs it when all that was asked before is over. */
    readonly run: <A, E, R>(effect: Effect.Effect<A, E, R>, limit?: Limit<A, E>) => Effect.Effect<A, E | QueueFull, R>
    /** Runs it if nobody waits, and nothing runs but a brief job. */
    readonly tryRun: <A, E, R>(effect: Effect.Effect<A, E, R>, brief?: boolean) => Effect.Effect<Option.Option<A>, E, R>
  }
>()("k3-mcp/session/EvaluationQueue") {
  static readonly layer = Layer.effect(
    EvaluationQueue,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const sleep = yield* FiberHandle.makeRuntime<never>()
      const queue = new Set<Job>()
      let held: Job | undefined
      let starting = false
      let wakesAt = Number.POSITIVE_INFINITY

      const now = (): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

      const sleepUntil = (due: number): void => {
        wakesAt = due
        sleep(Effect.andThen(Effect.sleep(Math.max(0, due - now())), Effect.sync(wake)))
      }

      const wake = (): void => {
        wakesAt = Number.POSITIVE_INFINITY
        const at = now()
        for (const job of [...(held === undefined ? [] : [held]), ...queue])
          // One that waited may have begun, and ended, when another one did.
          if (job.due <= at && (job === held || queue.has(job))) {
            job.due = Number.POSITIVE_INFINITY
            job.end()
          }
        let earliest = held?.due ?? Number.POSITIVE_INFINITY
        for (const { due } of queue) earliest = Math.min(earliest, due)
        if (earliest < wakesAt) sleepUntil(earliest)
      }

      /** A loop, since what begins may be over at once. */
      const next = (): void => {
        if (starting) return
        starting = true
        for (const job of queue) {
          if (held !== undefined) break
          queue.delete(job)
          held = job
          job.begin()
        }
        starting = false
      }

      /** With the caller's services. */
      const inTurn = <A, E, R>(
        caller: Fiber.Fiber<unknown, unknown>,
        effect: Effect.Effect<A, E, R>,
        limit?: Limit<A, E>,
        brief = false,
      ): Effect.Effect<A, E, R> =>
        Effect.callback<A, E>((resume) => {
          let fiber: Fiber.Fiber<A, E> | undefined
          let ended: "late" | "stopped" | undefined
          let over: (() => void) | undefined
          const job: Job = {
            brief,
            due: limit === undefined ? Number.POSITIVE_INFINITY : now() + limit.ms,
            begin: () => {
              if (limit?.waits === true) job.due = Number.POSITIVE_INFINITY
              fiber = Effect.runForkWith(caller.context as Context.Context<R>)(effect)
              fiber.addObserver((exit) => {
                held = undefined
                resume(ended === undefined || !Exit.hasInterrupts(exit) ? exit : ended === "late" ? limit!.late : limit!.stopped!)
                over?.()
                next()
              })
            },
            end: () => {
              ended ??= "late"
              if (fiber !== undefined) return fiber.interruptUnsafe()
              queue.delete(job)
              resume(limit!.late)
            },
            ...(limit?.stopped !== undefined && {
              stop: (told: () => void) => {
                ended ??= "stopped"
                over = told
                fiber!.interruptUnsafe()
              },
            }),
          }
          if (job.due < wakesAt) sleepUntil(job.due)
          queue.add(job)
          next()
          return Effect.suspend(() => {
            if (fiber !== undefined) return Fiber.interrupt(fiber)
            queue.delete(job)
            return Effect.void
          })
        })

      return EvaluationQueue.of({
        waiting: () => queue.size,
        busy: () => held !== undefined,
        stop: Effect.callback<boolean>((resume) => {
          if (held?.stop === undefined) return resume(Effect.succeed(false))
          held.stop(() => resume(Effect.succeed(true)))
        }),
        run: <A, E, R>(effect: Effect.Effect<A, E, R>, limit?: Limit<A, E>) =>
          Effect.withFiber((caller): Effect.Effect<A, E | QueueFull, R> =>
            queue.size >= limits.waiting ? new QueueFull({ limit: limits.waiting }) : inTurn(caller, effect, limit),
          ),
        tryRun: (effect, brief = false) =>
          Effect.withFiber((caller) =>
            queue.size === 0 && held?.brief !== false ? Effect.asSome(inTurn(caller, effect, undefined, brief)) : Effect.succeedNone,
          ),
      })
    }),
  )
}

/**
 * A session's queue. Runs one job at a time, first come, first served. Each job is a fiber with a deadline.
 *
 * Guarantees: when its deadline passes or its caller is interrupted, a waiting job leaves the queue, and a running job is interrupted and keeps
 * the queue until it has ended. The caller gets the result before the next job begins. All deadlines share one timer, which is set again only
 * for an earlier deadline. At most `limits.waiting` jobs wait. Optional jobs, which `tryRun` makes, wait for one another, and an evaluation never
 * waits for more than one of them. Does not: know the work of a job.
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
  /** The result of a job that missed its deadline, whether it waited or ran. */
  readonly late: Effect.Effect<A, E>
  /** The result of a job that `stop` ended. Without it, `stop` does not end the job. */
  readonly stopped?: Effect.Effect<A, E>
  /** The deadline applies only while the job waits; it does not end a running job. */
  readonly waits?: true
}

/** The longest time that an optional job waits for others, in ms. */
const patience = 10_000

interface Job {
  /** Made by `tryRun`. */
  readonly isOptional: boolean
  /** The deadline in ms of the monotonic clock; infinite when it does not apply, and after it has passed. */
  due: number
  readonly begin: () => void
  /** Called when the deadline has passed. */
  readonly end: () => void
  /** Ends the running job, and calls `over` when it has ended. Absent for a job that must not be stopped. */
  readonly stop?: (over: () => void) => void
}

export class EvaluationQueue extends Context.Service<
  EvaluationQueue,
  {
    /** Number of waiting jobs. */
    readonly waiting: () => number
    /** Does a job of `run` wait? */
    readonly requiredWaits: () => boolean
    /** Whether a job runs. */
    readonly busy: () => boolean
    /** Ends the running job as its deadline would, and waits for its end. False when no job runs, or it must not be stopped. */
    readonly stop: Effect.Effect<boolean>
    /** Runs an effect after all earlier jobs. */
    readonly run: <A, E, R>(effect: Effect.Effect<A, E, R>, limit: Limit<A, E>) => Effect.Effect<A, E | QueueFull, R>
    /**
     * Runs an effect after all earlier ones of `tryRun`. Gives none, at once, when a job of `run` runs, waits, or comes before the effect begins;
     * and none when the effect has waited for ten seconds.
     */
    readonly tryRun: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<Option.Option<A>, E, R>
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
        // Replies that came while this process stood still or was busy are read first: a job that they end is not late.
        sleep(Effect.sleep(Math.max(0, due - now())).pipe(Effect.andThen(Effect.yieldNow), Effect.andThen(Effect.sync(wake))))
      }

      const wake = (): void => {
        wakesAt = Number.POSITIVE_INFINITY
        const at = now()
        for (const job of [...(held === undefined ? [] : [held]), ...queue])
          // The end of another job may have begun, and even ended, this one.
          if (job.due <= at && (job === held || queue.has(job))) {
            job.due = Number.POSITIVE_INFINITY
            job.end()
          }
        let earliest = held?.due ?? Number.POSITIVE_INFINITY
        for (const { due } of queue) earliest = Math.min(earliest, due)
        if (earliest < wakesAt) sleepUntil(earliest)
      }

      /** Begins waiting jobs. A loop, since a job may end at once. */
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

      /** Queues an effect, which runs with the caller's services. */
      const enqueue = <A, E, R>(
        caller: Fiber.Fiber<unknown, unknown>,
        effect: Effect.Effect<A, E, R>,
        limit: Limit<A, E>,
        isOptional = false,
      ): Effect.Effect<A, E, R> =>
        Effect.callback<A, E>((resume) => {
          let fiber: Fiber.Fiber<A, E> | undefined
          let ended: "late" | "stopped" | undefined
          const over: (() => void)[] = []
          const job: Job = {
            isOptional,
            due: now() + limit.ms,
            begin: () => {
              if (limit.waits === true) job.due = Number.POSITIVE_INFINITY
              fiber = Effect.runForkWith(caller.context as Context.Context<R>)(effect)
              fiber.addObserver((exit) => {
                held = undefined
                resume(ended === undefined || !Exit.hasInterrupts(exit) ? exit : ended === "late" ? limit.late : limit.stopped!)
                for (const each of over) each()
                next()
              })
            },
            end: () => {
              ended ??= "late"
              if (fiber !== undefined) return fiber.interruptUnsafe()
              queue.delete(job)
              resume(limit.late)
            },
            ...(limit.stopped !== undefined && {
              stop: (onEnd: () => void) => {
                ended ??= "stopped"
                over.push(onEnd)
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

      /** A job of `run` drops the waiting optional ones, so all waiting jobs are of one kind. */
      const requiredWaits = (): boolean => {
        const [next] = queue
        return next?.isOptional === false
      }

      const dropOptional = (): void => {
        // The caller of one may ask for another job at once.
        for (const job of queue) if (job.isOptional) job.end()
      }

      return EvaluationQueue.of({
        waiting: () => queue.size,
        requiredWaits,
        busy: () => held !== undefined,
        stop: Effect.callback<boolean>((resume) => {
          if (held?.stop === undefined) return resume(Effect.succeed(false))
          held.stop(() => resume(Effect.succeed(true)))
        }),
        run: <A, E, R>(effect: Effect.Effect<A, E, R>, limit: Limit<A, E>) =>
          Effect.withFiber((caller): Effect.Effect<A, E | QueueFull, R> => {
            dropOptional()
            return queue.size >= limits.waiting ? new QueueFull({ limit: limits.waiting }) : enqueue(caller, effect, limit)
          }),
        tryRun: (effect) =>
          Effect.withFiber((caller) => {
            if (held?.isOptional === false || requiredWaits() || queue.size >= limits.waiting) return Effect.succeedNone
            const ms = held === undefined ? Number.POSITIVE_INFINITY : patience
            return enqueue(caller, Effect.asSome(effect), { ms, late: Effect.succeedNone, waits: true }, true)
          }),
      })
    }),
  )
}

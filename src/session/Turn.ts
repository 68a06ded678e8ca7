/**
 * The turn of a session: one work at a time, in the order they were asked for, each a fiber of its own within its deadline.
 *
 * Guarantees: a work that waits leaves the queue the moment its deadline passes or its caller is interrupted; one that runs is
 * interrupted then, and keeps the turn until it is over; who asked hears of the end before the next one begins. However many deadlines
 * there are, they cost one timer, and the usual one, which ends nothing, not even that. Does not: know what is done in a turn.
 */
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Option from "effect/Option"
import type * as Scope from "effect/Scope"

export interface Limit<A, E> {
  readonly ms: number
  /** What becomes of a work that was ended, or never begun, for want of time. */
  readonly late: Effect.Effect<A, E>
}

export interface Work {
  /** Over in a moment: as good as free for who would not wait. */
  readonly brief: boolean
  /** On the monotonic clock, ms; never again once its time was over. */
  due: number
  readonly begin?: () => void
  /** Its time is over. */
  readonly end: () => void
}

export class Turn {
  private held: Work | undefined
  private starting = false
  private readonly queue = new Set<Work>()
  private sleeper: Fiber.Fiber<void> | undefined
  private wakesAt = Number.POSITIVE_INFINITY

  private constructor(
    private readonly scope: Scope.Scope,
    private readonly clock: Clock.Clock,
    private readonly context: Context.Context<never>,
  ) {}

  /** Its timer ends with the scope. */
  static readonly make = (scope: Scope.Scope): Effect.Effect<Turn> =>
    Effect.zipWith(Clock.Clock, Effect.context(), (clock, context) => new Turn(scope, clock, context))

  /** How many wait. */
  get waiting(): number {
    return this.queue.size
  }

  /** Runs it when all that was asked before is over. */
  run<A, E, R>(effect: Effect.Effect<A, E, R>, limit?: Limit<A, E>, brief = false): Effect.Effect<A, E, R> {
    return Effect.withFiber((caller: Fiber.Fiber<unknown, unknown>) =>
      Effect.callback<A, E>((resume) => {
        let fiber: Fiber.Fiber<A, E> | undefined
        let late = false
        const work: Work = {
          brief,
          due: limit === undefined ? Number.POSITIVE_INFINITY : this.now() + limit.ms,
          begin: () => {
            fiber = Effect.runForkWith(caller.context as Context.Context<R>)(effect)
            fiber.addObserver((exit) => this.giveBack(() => resume(late && Exit.hasInterrupts(exit) ? limit!.late : exit)))
          },
          end: () => {
            late = true
            if (fiber !== undefined) return fiber.interruptUnsafe()
            this.queue.delete(work)
            resume(limit!.late)
          },
        }
        this.enter(work)
        return Effect.suspend(() => {
          if (fiber !== undefined) return Fiber.interrupt(fiber)
          this.queue.delete(work)
          return Effect.void
        })
      }),
    )
  }

  /** Runs it if nobody waits for the turn, and nobody has it but a brief work. */
  ifFree<A, E, R>(effect: Effect.Effect<A, E, R>, brief = false): Effect.Effect<Option.Option<A>, E, R> {
    return Effect.suspend(() =>
      this.queue.size === 0 && this.held?.brief !== false ? Effect.asSome(this.run(effect, undefined, brief)) : Effect.succeedNone,
    )
  }

  get isFree(): boolean {
    return this.held === undefined && this.queue.size === 0
  }

  /** It is free, and from now on the caller's; `end` is called when the time is over. */
  take(ms: number, end: () => void): void {
    this.enter({ brief: false, due: this.now() + ms, end })
  }

  /** Who has it is over; `then` comes before the next one. */
  giveBack(then: () => void): void {
    this.held = undefined
    then()
    this.next()
  }

  private now(): number {
    return Number(this.clock.monotonicTimeNanosUnsafe()) / 1e6
  }

  private enter(work: Work): void {
    if (work.due < this.wakesAt) this.sleepUntil(work.due)
    if (!this.isFree) {
      this.queue.add(work)
      return
    }
    this.held = work
    work.begin?.()
  }

  private get all(): readonly Work[] {
    return this.held === undefined ? [...this.queue] : [this.held, ...this.queue]
  }

  private isOver(work: Work): boolean {
    return work !== this.held && !this.queue.has(work)
  }

  /** A loop, since what begins may be over at once. */
  private next(): void {
    if (this.starting) return
    this.starting = true
    for (const work of this.queue) {
      if (this.held !== undefined) break
      this.queue.delete(work)
      this.held = work
      work.begin?.()
    }
    this.starting = false
  }

  private sleepUntil(due: number): void {
    this.sleeper?.interruptUnsafe()
    this.wakesAt = due
    const sleep = Effect.andThen(
      Effect.sleep(Math.max(0, due - this.now())),
      Effect.sync(() => this.wake()),
    )
    this.sleeper = Fiber.runIn(Effect.runForkWith(this.context)(sleep), this.scope)
  }

  private wake(): void {
    this.sleeper = undefined
    this.wakesAt = Number.POSITIVE_INFINITY
    const now = this.now()
    for (const work of this.all)
      // One that waited may have begun, and ended, when another one did.
      if (work.due <= now && !this.isOver(work)) {
        work.due = Number.POSITIVE_INFINITY
        work.end()
      }
    const earliest = this.all.reduce((least, { due }) => Math.min(least, due), Number.POSITIVE_INFINITY)
    if (earliest < this.wakesAt) this.sleepUntil(earliest)
  }
}

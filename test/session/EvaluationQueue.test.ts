/** The queue by itself, mostly under a virtual clock. */
import { assert, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { MessageChannel } from "node:worker_threads"
import { limits } from "../../src/limits.ts"
import { EvaluationQueue } from "../../src/session/EvaluationQueue.ts"

const make: Effect.Effect<EvaluationQueue["Service"], never, Scope.Scope> = Effect.map(Layer.build(EvaluationQueue.layer), (context) =>
  Context.get(context, EvaluationQueue),
)
const fork = Effect.forkChild({ startImmediately: true })
const late = Effect.fail("late")
const endless = { ms: Number.POSITIVE_INFINITY, late: Effect.never }

it.effect("S1 jobs run one at a time, in the order of their requests, and a waiting job does not delay the end of another", () =>
  Effect.gen(function* () {
    const queue = yield* make
    const order: string[] = []
    const say = (what: string) => Effect.sync(() => void order.push(what))
    const gate = yield* Deferred.make<void>()
    const work = (name: string, wait: Effect.Effect<void>) =>
      fork(Effect.andThen(queue.run(Effect.andThen(wait, say(name)), endless), say(`${name} told`)))
    const first = yield* work("a", Deferred.await(gate))
    const others = [yield* work("b", Effect.void), yield* work("c", Effect.yieldNow)]
    assert.strictEqual(queue.waiting(), 2)
    assert.isTrue(Option.isNone(yield* queue.tryRun(Effect.void)))
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.joinAll([first, ...others])
    assert.deepStrictEqual(order, ["a", "a told", "b", "b told", "c", "c told"])
    assert.deepStrictEqual(yield* queue.tryRun(Effect.succeed(1)), Option.some(1))
  }),
)

it.effect("S12 jobs of tryRun wait for one another, and give way to a job of run, before and after it", () =>
  Effect.gen(function* () {
    const queue = yield* make
    const gate = yield* Deferred.make<void>()
    const first = yield* fork(queue.tryRun(Deferred.await(gate)))
    const others = [yield* fork(queue.tryRun(Effect.succeed(1))), yield* fork(queue.tryRun(Effect.succeed(2)))]
    assert.deepStrictEqual([queue.waiting(), queue.requiredWaits()], [2, false])
    yield* Deferred.succeed(gate, undefined)
    assert.deepStrictEqual(yield* Fiber.joinAll(others), [Option.some(1), Option.some(2)])
    assert.isTrue(Option.isSome(yield* Fiber.join(first)))
    const running = yield* fork(queue.tryRun(Effect.never))
    const dropped = yield* fork(queue.tryRun(Effect.die("ran all the same")))
    const evaluation = yield* fork(queue.run(Effect.never, endless))
    assert.isTrue(Option.isNone(yield* Fiber.join(dropped)))
    assert.deepStrictEqual([queue.waiting(), queue.requiredWaits()], [1, true])
    assert.isTrue(Option.isNone(yield* queue.tryRun(Effect.die("ran before the evaluation"))))
    yield* Fiber.interrupt(running)
    assert.isTrue(Option.isNone(yield* queue.tryRun(Effect.die("ran beside the evaluation"))))
    yield* Fiber.interrupt(evaluation)
  }),
)

it.effect("S12 a job that the caller of a dropped one asks for at once is not dropped with it", () =>
  Effect.gen(function* () {
    const queue = yield* make
    const gate = yield* Deferred.make<void>()
    const running = yield* fork(queue.tryRun(Deferred.await(gate)))
    const dropped = queue.tryRun(Effect.die("ran all the same"))
    const instead = yield* fork(Effect.andThen(dropped, queue.run(Effect.succeed(1), { ms: 1000, late })))
    const evaluation = yield* fork(queue.run(Effect.succeed(2), { ms: 1000, late }))
    yield* Deferred.succeed(gate, undefined)
    assert.deepStrictEqual(yield* Fiber.joinAll([instead, evaluation]), [1, 2])
    yield* Fiber.join(running)
  }),
)

it.effect("S12 a job of tryRun waits ten seconds at most, and runs as long as it takes", () =>
  Effect.gen(function* () {
    const queue = yield* make
    const gate = yield* Deferred.make<void>()
    const first = yield* fork(queue.tryRun(Deferred.await(gate)))
    const second = yield* fork(queue.tryRun(Effect.die("ran all the same")))
    yield* TestClock.adjust(10_000)
    assert.isTrue(Option.isNone(yield* Fiber.join(second)))
    yield* Deferred.succeed(gate, undefined)
    assert.isTrue(Option.isSome(yield* Fiber.join(first)))
  }),
)

it.effect("S4 stop ends the running job if it allows that, and no waiting job", () =>
  Effect.gen(function* () {
    const queue = yield* make
    assert.isFalse(yield* queue.stop)
    const stopped = Effect.succeed("stopped")
    let isOver = false
    const over = Effect.sync(() => void (isOver = true))
    const first = yield* fork(queue.run(Effect.ensuring(Effect.never, over), { ms: 1000, late, stopped }))
    const second = yield* fork(queue.run(Effect.never, { ms: 1000, late }))
    assert.isTrue(yield* queue.stop)
    assert.isTrue(isOver)
    assert.strictEqual(yield* Fiber.join(first), "stopped")
    assert.isFalse(yield* queue.stop)
    yield* TestClock.adjust(1000)
    assert.strictEqual(yield* Effect.flip(Fiber.join(second)), "late")
  }),
)

it.effect("S14 a deadline for waiting ends a waiting job, and not a running one", () =>
  Effect.gen(function* () {
    const queue = yield* make
    const gate = yield* Deferred.make<void>()
    const first = yield* fork(queue.run(Effect.as(Deferred.await(gate), 1), { ms: 100, late, waits: true }))
    const second = yield* fork(queue.run(Effect.succeed(2), { ms: 100, late, waits: true }))
    yield* TestClock.adjust(100)
    assert.strictEqual(yield* Effect.flip(Fiber.join(second)), "late")
    yield* Deferred.succeed(gate, undefined)
    assert.strictEqual(yield* Fiber.join(first), 1)
  }),
)

it.effect("S1 a full queue of jobs that end at once runs them one after the other; G9 one more job is refused", () =>
  Effect.gen(function* () {
    const queue = yield* make
    const gate = yield* Deferred.make<void>()
    const first = yield* fork(queue.run(Deferred.await(gate), endless))
    const all = yield* Effect.forEach(Array.from({ length: limits.waiting }).keys(), (n) => fork(queue.run(Effect.succeed(n), endless)))
    const refused = yield* Effect.flip(queue.run(Effect.succeed(0), endless))
    assert.deepStrictEqual([refused._tag, refused.limit], ["QueueFull", limits.waiting])
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(first)
    assert.deepStrictEqual(yield* Fiber.joinAll(all), [...Array.from({ length: limits.waiting }).keys()])
    assert.strictEqual(queue.waiting(), 0)
  }),
)

it.effect(
  "S11 a deadline ends a waiting job at once, and a running one after its finalizers; a short deadline after a long one is kept",
  () =>
    Effect.gen(function* () {
      const queue = yield* make
      const undoing = yield* Deferred.make<void>()
      const running = yield* fork(
        queue.run(
          Effect.onInterrupt(Effect.never, () => Deferred.await(undoing)),
          { ms: 1000, late },
        ),
      )
      const waiting = yield* fork(queue.run(Effect.void, { ms: 200, late }))
      yield* TestClock.adjust(199)
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* Effect.flip(Fiber.join(waiting)), "late")
      assert.strictEqual(queue.waiting(), 0)
      yield* TestClock.adjust(800)
      assert.isUndefined(running.pollUnsafe())
      const next = yield* fork(queue.run(Effect.succeed("next"), endless))
      yield* Deferred.succeed(undoing, undefined)
      assert.strictEqual(yield* Effect.flip(Fiber.join(running)), "late")
      assert.strictEqual(yield* Fiber.join(next), "next")
    }),
)

it.live("S11 a job whose reply came while the process stood still is not late", () =>
  Effect.gen(function* () {
    const queue = yield* make
    const { port1, port2 } = yield* Effect.acquireRelease(
      Effect.sync(() => new MessageChannel()),
      ({ port1: port }) => Effect.sync(() => port.close()),
    )
    // The next turn of the event loop has timers first, then messages.
    yield* Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
    const ms = 5
    const reply = Effect.callback<string>((resume) => {
      port2.once("message", () => resume(Effect.succeed("reply")))
      port1.postMessage("")
      const due = performance.now() + 2 * ms
      while (performance.now() < due);
    })
    assert.strictEqual(yield* queue.run(reply, { ms, late }), "reply")
  }),
)

it.effect("S4 an interrupted caller's job leaves the queue, or is ended", () =>
  Effect.gen(function* () {
    const queue = yield* make
    let undone = false
    const running = yield* fork(
      queue.run(
        Effect.onInterrupt(Effect.never, () => Effect.sync(() => (undone = true))),
        endless,
      ),
    )
    const waiting = yield* fork(queue.run(Effect.die("ran all the same"), { ms: 10, late }))
    yield* Fiber.interrupt(waiting)
    assert.strictEqual(queue.waiting(), 0)
    yield* Fiber.interrupt(running)
    assert.isTrue(undone)
    yield* TestClock.adjust(10)
    assert.deepStrictEqual(yield* queue.tryRun(Effect.succeed(1)), Option.some(1))
  }),
)

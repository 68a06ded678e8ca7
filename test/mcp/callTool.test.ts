/** M5 progress is sent on a timer if the call has a progress token, and not after the reply or a cancel. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "vitest"
import { call as callFunction } from "../../src/define/call.ts"
import { callTool } from "../../src/mcp/Tool.ts"
import { kEval } from "../../src/mcp/tools/kEval.ts"
import { kReset } from "../../src/mcp/tools/kReset.ts"
import { Announce } from "../../src/session/Announce.ts"
import type { EvaluateRequest, Evaluation } from "../../src/session/Evaluation.ts"
import { evaluated, fakeLayer, fakeSession, idle } from "./fakeSessions.ts"

const busy = {
  ...idle,
  phase: "evaluating" as const,
  running: { statement: "while[i<9;i+:1]", nth: [2, 3] as const, forMs: 12_300, waiting: 1 },
}

/** One call under a virtual clock, whose evaluation the test ends. */
const calling = <A>(
  body: (call: {
    readonly told: readonly (readonly [number, string])[]
    readonly finish: Effect.Effect<boolean>
    readonly fiber: Fiber.Fiber<unknown>
  }) => Effect.Effect<A>,
  withToken = true,
): Promise<A> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const done = yield* Deferred.make<Evaluation>()
      const told: (readonly [number, string])[] = []
      const sessions = fakeLayer({ status: () => Effect.succeed(busy), session: { evaluate: () => Deferred.await(done) } })
      const call = callTool(kEval, { code: "1+1" }, withToken ? (elapsed, message) => void told.push([elapsed, message]) : undefined)
      const fiber = yield* Effect.forkChild(Effect.provide(call, sessions))
      yield* TestClock.adjust("0 millis")
      return yield* body({ told, finish: Deferred.succeed(done, evaluated("2")), fiber })
    }).pipe(Effect.provide(TestClock.layer())),
  )

it("S11 the time in which a session opens is not taken for the time in which arguments become K", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const waited: (number | undefined)[] = []
      const evaluate = (request: EvaluateRequest) => Effect.sync(() => (waited.push(request.waited), evaluated("")))
      const get = () => Effect.delay(Effect.succeed(fakeSession({ evaluate })), "1 second")
      const calls = Effect.all([
        callTool(kEval, { code: "a", args: { a: 1 } }, undefined),
        callFunction({ code: "{x}", parameters: [], session: "main" }, {}, "main"),
      ])
      const fiber = yield* Effect.forkChild(Effect.provide(calls, fakeLayer({ get })))
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(fiber)
      expect(waited).toEqual([0, 0])
    }).pipe(Effect.provide(TestClock.layer())),
  ))

it("S11 a call waits for its session within its own deadline, which is not that of an evaluation in the background", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const within: (number | undefined)[] = []
      const get = (_: string, timeoutMs?: number) => Effect.sync(() => (within.push(timeoutMs), fakeSession()))
      const calls = Effect.all([
        callTool(kEval, { code: "a", timeout_ms: 2000 }, undefined),
        callTool(kEval, { code: "a", timeout_ms: 600_000, background: true }, undefined),
      ])
      yield* Effect.provide(calls, fakeLayer({ get }))
      expect(within).toEqual([2000, undefined])
    }),
  ))

describe("M5", () => {
  it("peers 4: a silent call is not cut: every five seconds progress names the running statement and its time", () =>
    calling(({ told, finish, fiber }) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("4900 millis")
        expect(told).toEqual([])
        yield* TestClock.adjust("10 seconds")
        expect(told.map(([elapsed]) => elapsed)).toEqual([5000, 10_000])
        expect(told[0]![1]).toBe("session main: running statement 2 of 3 for 12.3 s: while[i<9;i+:1]; 1 call waiting (this call: 5 s)")
        yield* finish
        expect(yield* Fiber.join(fiber)).toMatchObject({ text: "2" })
      }),
    ))

  it("an announcement of the call is sent at once, and again on the timer", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const told: (readonly [number, string])[] = []
        const reset = Effect.andThen(
          Effect.flatMap(Announce, (tell) => Effect.sync(() => tell("the reset waits for what runs", true))),
          Effect.never,
        )
        const call = callTool(kReset, {}, (elapsed, message) => void told.push([elapsed, message]))
        yield* Effect.forkChild(Effect.provide(call, fakeLayer({ session: { reset } })))
        yield* TestClock.adjust("1 millis")
        const line = "the reset waits for what runs; k_session with action interrupt stops that"
        expect(told).toEqual([[0, `session main: ${line} (this call: 0 ms)`]])
        yield* TestClock.adjust("5 seconds")
        expect(told).toHaveLength(2)
      }).pipe(Effect.provide(TestClock.layer())),
    ))

  it("nothing is sent after the reply", () =>
    calling(({ told, finish, fiber }) =>
      Effect.gen(function* () {
        yield* finish
        yield* Fiber.join(fiber)
        yield* TestClock.adjust("1 minute")
        expect(told).toEqual([])
      }),
    ))

  it("nothing is sent after a cancel", () =>
    calling(({ told, fiber }) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("6 seconds")
        yield* Fiber.interrupt(fiber)
        yield* TestClock.adjust("1 minute")
        expect(told.length).toBe(1)
      }),
    ))

  it("peers 13: nothing is sent without a progress token", () =>
    calling(
      ({ told, finish, fiber }) =>
        Effect.gen(function* () {
          yield* TestClock.adjust("1 minute")
          expect(told).toEqual([])
          yield* finish
          expect(yield* Fiber.join(fiber)).toMatchObject({ text: "2" })
        }),
      false,
    ))
})

/** A child alone: each reply belongs to its request. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { type Child, launch } from "../../src/child/Child.ts"
import { Script } from "../lib/scriptedChild.ts"

const line = (text: string) => `${text}\n`
const ask = (child: Child, text: string) => Effect.map(child.ask(line(text)), ({ head }) => new TextDecoder().decode(head))

const spec = { command: "k", args: [], cwd: "/", env: {}, endsWithStdin: true }
const plan = { engine: "test", process: spec, yields: false, reports: true, warm: line("print warm"), timeoutMs: 1000, keep: 1024 }

const test = (name: string, body: (child: Child, script: Script) => Effect.Effect<void, unknown>) =>
  it.effect(name, () => {
    const script = new Script()
    return Effect.scoped(Effect.flatMap(launch(plan), (child) => body(child, script))).pipe(Effect.provide(script.layer))
  })

test("S2 the reply to an abandoned request is dropped, and the next request gets its own", (child, script) =>
  Effect.gen(function* () {
    const abandoned = yield* Effect.forkChild(ask(child, "loop"))
    yield* Effect.yieldNow
    yield* Fiber.interrupt(abandoned)
    assert.isTrue(child.busy())
    const next = yield* Effect.forkChild(ask(child, "print 2"))
    yield* Effect.yieldNow
    script.latest.finish("late")
    assert.strictEqual(yield* Fiber.join(next), "2")
    assert.isFalse(child.busy())
  }))

test("S2 a caller can wait for the reply to an abandoned request", (child, script) =>
  Effect.gen(function* () {
    const abandoned = yield* Effect.forkChild(ask(child, "loop"))
    yield* Effect.yieldNow
    yield* Fiber.interrupt(abandoned)
    script.latest.finish("late")
    assert.strictEqual(new TextDecoder().decode((yield* child.pendingReply).head), "late")
  }))

test("S10 an unexpected half of a sentinel ends the child as out of step", (child, script) =>
  Effect.gen(function* () {
    script.latest.print("\x01")
    assert.strictEqual((yield* child.ended).reason, "out-of-step")
    assert.isFalse(script.latest.alive())
  }))

test("S5 a request to an ended child fails with the child's exit", (child, script) =>
  Effect.gen(function* () {
    script.latest.exit({ code: 7, signal: null })
    assert.deepInclude((yield* Effect.flip(ask(child, "print 1"))).exit, { code: 7, signal: null })
  }))

/** Takes a long reply, and throws as a defect of the server would. */
const broken = {
  edge: 0,
  live: true,
  write: () => {
    throw new RangeError("Invalid array length")
  },
}

for (const output of ["half", "\x01more", "whole\x01\x02"])
  test(`S1 an exception while the server reads ${JSON.stringify(output)} ends the child and fails its request alone`, (child, script) =>
    Effect.gen(function* () {
      const asked = yield* Effect.forkChild(Effect.flip(child.ask(line("loop"), broken)))
      yield* Effect.yieldNow
      script.latest.print(output)
      const ended = yield* Fiber.join(asked)
      assert.strictEqual(ended.reason, "unread")
      assert.include(ended.stderr, "RangeError: Invalid array length")
      assert.isFalse(script.latest.alive())
      assert.strictEqual((yield* Effect.flip(ask(child, "print 1"))).reason, "unread")
    }))

test("S1 an exception while the last output of an ended child is read is no other end", (child, script) =>
  Effect.gen(function* () {
    const asked = yield* Effect.forkChild(Effect.flip(child.ask(line("loop"), broken)))
    yield* Effect.yieldNow
    // The first half of a sentinel, which is output when no second half follows.
    script.latest.print("\x01")
    assert.strictEqual(child.partial().bytes, 0)
    script.latest.exit({ code: 7, signal: null })
    assert.deepInclude(yield* Fiber.join(asked), { reason: "exit", exit: { code: 7, signal: null } })
  }))

it.effect("N16 a child has a lower priority than the server from the moment when it is ready", () => {
  const script = new Script()
  script.launches.push("slow")
  return Effect.gen(function* () {
    const launching = yield* Effect.forkChild(launch({ ...plan, yields: true }))
    yield* Effect.yieldNow
    assert.isFalse(script.latest.yields())
    script.wake()
    yield* Fiber.join(launching)
    assert.isTrue(script.latest.yields())
  }).pipe(Effect.scoped, Effect.provide(script.layer))
})

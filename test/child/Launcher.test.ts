/** The hold on the files of a build: each child has its own, from before its launch until after its end. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { Engine } from "../../src/child/engines/Engine.ts"
import type { Tracker } from "../../src/child/engines/Tracker.ts"
import { FenceMissing } from "../../src/child/ChildError.ts"
import { Fence } from "../../src/child/Fence.ts"
import { close, type Launcher, make, type ChildProgram } from "../../src/child/Launcher.ts"
import { Settings } from "../../src/Settings.ts"
import { Script } from "../lib/scriptedChild.ts"
import { settled } from "../lib/scriptedSession.ts"
import { noFence, settings } from "../lib/sessionLayers.ts"

const engine = { kind: "embedded", reports: true, warm: null, track: () => ({}) as Tracker } as unknown as Engine

/** The builds that are held now. */
class Holds {
  readonly now: string[] = []
  /** Called at each acquire and release. */
  onChange: () => void = () => {}

  program(name: string): ChildProgram {
    const process = { command: name, args: [], cwd: "/", env: {}, endsWithStdin: true }
    const set = (change: () => void) => Effect.sync(() => (this.onChange(), change()))
    const hold = Effect.acquireRelease(
      set(() => this.now.push(name)),
      () => set(() => this.now.splice(this.now.indexOf(name), 1)),
    )
    return { engine, prepared: { process, build: null, shadow: name, hold: Effect.asVoid(hold) } }
  }
}

const test = (
  name: string,
  body: (launch: Launcher, holds: Holds, script: Script, session: Scope.Closeable) => Effect.Effect<void, unknown>,
) =>
  it.effect(name, () => {
    const script = new Script()
    return Effect.gen(function* () {
      const session = yield* Scope.make()
      yield* body(yield* make(session, new Map()), new Holds(), script, session)
      yield* Scope.close(session, Exit.void)
    }).pipe(Effect.provide(Layer.mergeAll(script.layer, noFence, Layer.succeed(Settings, settings()))))
  })

test("S20 a copy is held while its child lives, and no longer: not until the session ends", (launch, holds) =>
  Effect.gen(function* () {
    const first = yield* launch(holds.program("11"))
    const second = yield* launch(holds.program("22"))
    assert.deepStrictEqual(holds.now, ["11", "22"])
    yield* close(first)
    assert.deepStrictEqual(holds.now, ["22"])
    const third = yield* launch(holds.program("22"))
    yield* close(second)
    assert.deepStrictEqual(holds.now, ["22"])
    yield* close(third)
    assert.deepStrictEqual(holds.now, [])
  }))

test("S20 a copy is held before its child begins, until its child is gone", (launch, holds, script) =>
  Effect.gen(function* () {
    const alive: number[] = []
    holds.onChange = () => void alive.push(script.alive.length)
    script.holdKills = true
    const child = yield* launch(holds.program("11"))
    const closing = yield* Effect.forkChild(close(child))
    yield* settled
    const meanwhile = [...holds.now]
    script.release()
    assert.deepStrictEqual(meanwhile, ["11"])
    yield* Fiber.join(closing)
    assert.deepStrictEqual(holds.now, [])
    assert.deepStrictEqual(alive, [0, 0])
  }))

for (const plan of ["refuse", "exit"] as const)
  test(`S20 a launch that fails holds no copy: ${plan}`, (launch, holds, script) =>
    Effect.gen(function* () {
      script.launches.push(plan)
      yield* Effect.flip(launch(holds.program("11")))
      yield* settled
      assert.deepStrictEqual(holds.now, [])
    }))

it.effect("S20 a launch that the fence refuses leaves nothing in the session's scope", () => {
  const refusing = Layer.mock(Fence, { around: () => Effect.fail(new FenceMissing({ why: "there is none" })), take: () => [] })
  return Effect.gen(function* () {
    const session = yield* Scope.make()
    const launch = yield* make(session, new Map())
    yield* Effect.flip(launch(new Holds().program("11")))
    assert.strictEqual(session.state._tag, "Empty")
  }).pipe(Effect.provide(Layer.mergeAll(new Script().layer, refusing, Layer.succeed(Settings, settings()))))
})

test("S20 the end of the session releases the copies of its children", (launch, holds, _, session) =>
  Effect.gen(function* () {
    yield* launch(holds.program("11"))
    yield* Scope.close(session, Exit.void)
    assert.deepStrictEqual(holds.now, [])
  }))

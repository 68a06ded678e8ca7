/**
 * The engines of scripted children, with defects on request: an exception in the server's own code, as a bug there would throw it.
 *
 *     defect         the child answers, and reading the answer throws
 *     defect busy    in a request with a value: the exception comes while the child runs a loop
 *     defect deaf    the same, and the child ignores interrupts
 *     x: defective   restoring the value throws
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Engine } from "../../src/child/engines/Engine.ts"
import { Engines } from "../../src/child/engines/Engines.ts"

const overflow = () => new RangeError("Maximum call stack size exceeded")

const withDefects = (engine: Engine): Engine => ({
  ...engine,
  read: (statement, reply) => {
    if (statement.source === "defect") throw overflow()
    return engine.read(statement, reply)
  },
  track: (child, written) => {
    const tracker = engine.track(child, written)
    return {
      ...tracker,
      restore: (variables, precision) =>
        variables.some(({ text }) => text === "defective") ? Effect.die(overflow()) : tracker.restore(variables, precision),
    }
  },
  value: (child, statement, wanted, spill) => {
    const word = /^defect (busy|deaf)$/.exec(statement.source)?.[1]
    if (word === undefined) return engine.value(child, statement, wanted, spill)
    const wire = word === "busy" ? "loop" : "deaf"
    return Effect.raceFirst(engine.value(child, { ...statement, source: wire, wire }, wanted, spill), Effect.die(overflow()))
  },
})

export const scriptedEngines = Layer.effect(
  Engines,
  Effect.map(Engines, ({ pick, named }) =>
    Engines.of({ pick: Effect.map(pick, withDefects), named: (kind, why) => withDefects(named(kind, why)) }),
  ),
).pipe(Layer.provide(Engines.layer))

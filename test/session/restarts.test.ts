/**
 * Random lives of a session over the embedded engine as a real process, compared with a model of its variables: evaluations, errors
 * rolled back or not, kills before and after a capture, reloads, resets, restarts of the server.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import type { Session } from "../../src/session/Session.ts"
import { Sessions } from "../../src/session/Sessions.ts"
import { captured } from "../lib/waiting.ts"
import { real } from "../lib/sessionLayers.ts"
import { scratch } from "../lib/stateFolder.ts"

type Model = ReadonlyMap<string, readonly number[]>

const name = fc.constantFrom("a", "b", "c", "d")
const number = fc.integer({ min: -1000, max: 1000 })
const numbers = fc.array(number, { minLength: 2, maxLength: 6 })

const command = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), name, numbers }),
  fc.record({ kind: fc.constant("append" as const), name, number }),
  fc.record({ kind: fc.constant("amend" as const), name, number }),
  fc.record({ kind: fc.constant("fail" as const), name, numbers, rollback: fc.boolean() }),
  fc.record({ kind: fc.constant("kill" as const), name, numbers, captured: fc.boolean() }),
  fc.constant({ kind: "reload" as const }),
  fc.constant({ kind: "reset" as const }),
  fc.constant({ kind: "restart" as const }),
)
type Command = typeof command extends fc.Arbitrary<infer A> ? A : never

const shown = (values: readonly number[]): string => values.join(" ")
const withValue = (model: Model, key: string, values: readonly number[]): Model => new Map([...model, [key, values]])

/** Reads the variables of the session. */
const read = Effect.fnUntraced(function* (session: Session) {
  const { entries } = yield* session.inspect(".k")
  const found: Map<string, string> = new Map()
  for (const entry of entries) found.set(entry.name, (yield* session.evaluate({ code: `.k.${entry.name}` })).output.trimEnd())
  return found
})

const equals = (found: ReadonlyMap<string, string>, model: Model): boolean =>
  found.size === model.size && [...model].every(([key, values]) => found.get(key) === shown(values))

/** Performs one action; gives the possible models afterwards. `past`: models since the last certain capture, the latest first. */
const step = Effect.fnUntraced(function* (session: Session, past: readonly Model[], command: Command) {
  const model = past[0]!
  switch (command.kind) {
    case "set":
      yield* session.evaluate({ code: `${command.name}:${shown(command.numbers)}` })
      return [withValue(model, command.name, command.numbers)]
    case "append":
    case "amend": {
      const before = model.get(command.name)
      if (before === undefined) return [model]
      const append = command.kind === "append"
      yield* session.evaluate({ code: append ? `${command.name},:${command.number}` : `${command.name}[0]:${command.number}` })
      return [withValue(model, command.name, append ? [...before, command.number] : [command.number, ...before.slice(1)])]
    }
    case "fail": {
      const { rollback } = command
      const reply = yield* session.evaluate({ code: `${command.name}:${shown(command.numbers)}\nnothing`, rollback })
      assert.isFalse(reply.ok)
      return [rollback ? model : withValue(model, command.name, command.numbers)]
    }
    case "kill": {
      const after = withValue(model, command.name, command.numbers)
      yield* session.evaluate({ code: `${command.name}:${shown(command.numbers)}` })
      if (command.captured) yield* captured(session)
      yield* Effect.flip(session.evaluate({ code: `${command.name}:0 0\n_exit 3` }))
      return command.captured ? [after] : [after, ...past]
    }
    case "reload":
      assert.deepInclude((yield* session.reload({ preserveState: true })).variables, { restored: model.size, lost: [] })
      return [model]
    case "reset":
      yield* session.reset
      return [new Map<string, readonly number[]>()]
    case "restart":
      assert.isTrue(yield* session.persist)
      return [model]
  }
})

describe("a session", () => {
  it.live(
    "S22 S24 S26 S31 has the expected variables through errors, kills, reloads, resets and restarts of the server",
    () =>
      Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(fc.array(command, { minLength: 6, maxLength: 14 }), (commands) =>
            Effect.gen(function* () {
              const stateDir = yield* scratch
              const left = [...commands]
              let past: readonly Model[] = [new Map()]
              /** From the start of a server to its end. */
              const life = Effect.gen(function* () {
                const session = yield* Effect.flatMap(Sessions, ({ get }) => get("main"))
                assert.isTrue(equals(yield* read(session), past[0]!), "it begins with what was written")
                for (let each = left.shift(); each !== undefined; each = left.shift()) {
                  const candidates: readonly Model[] = yield* step(session, past, each)
                  const found = yield* read(session)
                  const held = candidates.find((candidate) => equals(found, candidate))
                  assert.isDefined(held, `after ${JSON.stringify(each)} it holds ${JSON.stringify([...found])}`)
                  const sure = each.kind === "kill" || each.kind === "reload" || each.kind === "reset" || each.kind === "restart"
                  past = sure ? [held] : [held, ...past]
                  if (each.kind === "restart") return
                }
              })
              while (left.length > 0)
                yield* Effect.provide(
                  life,
                  real({ engine: "embedded", restartFirstDelay: 5, restartMaxDelay: 5, restartCrashes: 1000, stateDir, persistEvery: 2 }),
                )
            }).pipe(Effect.scoped, Effect.runPromise),
          ),
          { numRuns: 3 },
        ),
      ),
    60_000,
  )
})

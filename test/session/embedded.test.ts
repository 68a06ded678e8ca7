/** The promises over the embedded engine as a real process (`dist/k3.js`: the gate builds before it tests), and what only it can show. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Session } from "../../src/session/Session.ts"
import { Sessions } from "../../src/session/Sessions.ts"
import type { SettingValues } from "../../src/Settings.ts"
import { real } from "../lib/sessionLayers.ts"
import { isAlive } from "../lib/processes.ts"
import { promises } from "./session.suite.ts"

promises({
  name: "embedded engine as a real process",
  layer: real,
  it: it.live,
  pass: () => Effect.void,
  yieldNow: Effect.sleep(2),
  alive: isAlive,
  interruptible: true,
  engine: "embedded",
  code: {
    value: ["1+1", "2\n"],
    several: ["1+1\n{[a]\n a+1}[4]\n\\p", "2\n5\n7\n"],
    assign: "x:5",
    name: "x",
    read: ["x", "5\n"],
    loop: "while[1;y:1]",
    error: ["foo", "value"],
    exit: { before: "1+1", line: "_exit 3", how: { exitCode: 3, signal: null } },
    flood: '`0:100000 3#"ab\\n"',
  },
})

const test = (name: string, settings: Partial<SettingValues>, body: (session: Session) => Effect.Effect<void, unknown>) =>
  it.live(name, () =>
    Effect.gen(function* () {
      const { get } = yield* Sessions
      yield* body(yield* get("main"))
    }).pipe(Effect.provide(real({ engine: "embedded", ...settings }))),
  )

describe("embedded engine", () => {
  test("S2 an error points into the code as it was sent", {}, (session) =>
    Effect.gen(function* () {
      const { error, failedStatement } = yield* session.evaluate({ code: "a:1\n\n/ a comment\nf:{\n x+y\n }\n1+`b" })
      assert.strictEqual(failedStatement, 3)
      assert.deepInclude(error, { name: "type", line: 7 })
      assert.include(error?.text ?? "", "type error")
    }),
  )

  test("S12 inspection shows type, shape and preview; a path, a name and nothing", {}, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: 'v:!100\nm:(1 2;3 4)\nf:{x+1}\nt:"abc"\nd:.((`a;1);(`b;2))\ns:`q' })
      const { entries, path } = yield* session.inspect(".")
      assert.strictEqual(path, ".k")
      assert.deepStrictEqual(
        entries.map(({ name, kind, shape }) => [name, kind, shape]),
        [
          ["v", "integers", "100"],
          ["m", "list", "2"],
          ["f", "function", ""],
          ["t", "characters", "3"],
          ["d", "dictionary", ""],
          ["s", "symbol", ""],
        ],
      )
      assert.deepStrictEqual(
        (yield* session.inspect(".k.d")).entries.map(({ name, preview }) => [name, preview]),
        [
          ["a", "1"],
          ["b", "2"],
        ],
      )
      assert.deepInclude((yield* session.inspect("f")).value, { kind: "function", preview: "{x+1}" })
      assert.strictEqual((yield* session.inspect("nothing")).value?.kind, "no value")
    }),
  )

  test("S14 a precision that was changed is not left behind by reset", {}, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "\\p 3" })
      assert.strictEqual((yield* session.reset).how, "relaunched")
      assert.strictEqual((yield* session.evaluate({ code: "\\p" })).output, "7\n")
    }),
  )

  test("S18 the memory limit ends in an error that says so", { childMemory: 128 * 1024 ** 2, evalTimeout: 20_000 }, (session) =>
    Effect.gen(function* () {
      const outcome = yield* Effect.result(session.evaluate({ code: "a:!60000000" }))
      const said = outcome._tag === "Success" ? outcome.success.error?.name : outcome.failure._tag === "ChildDied" && outcome.failure.reason
      assert.include(["wsfull", "memory"], said)
      assert.strictEqual((yield* session.evaluate({ code: "1+1" })).output, "2\n")
    }),
  )
})

/** The promises over the embedded engine as a real process (`dist/k3.js`: build before these tests), and tests of this engine alone. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Session } from "../../../src/session/Session.ts"
import { Sessions } from "../../../src/session/Sessions.ts"
import type { SettingValues } from "../../../src/Settings.ts"
import { captured } from "../../lib/waiting.ts"
import { real } from "../../lib/sessionLayers.ts"
import { realPromises } from "../../session/session.suite.ts"

realPromises({
  name: "embedded engine as a real process",
  layer: real,
  interruptible: true,
  engine: "embedded",
  code: {
    value: ["1+1", "2\n"],
    read: ["x", "5\n"],
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
  test("S2 an error has its place in the code as it was sent", {}, (session) =>
    Effect.gen(function* () {
      const { error, failedStatement } = yield* session.evaluate({ code: "a:1\n\n/ a comment\nf:{\n x+y\n }\n1+`b" })
      assert.strictEqual(failedStatement, 3)
      assert.deepInclude(error, { name: "type", line: 7 })
      assert.include(error?.text ?? "", "type error")
    }),
  )

  test("S14 reset also resets a changed precision", {}, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "\\p 3" })
      assert.strictEqual((yield* session.reset).how, "relaunched")
      assert.strictEqual((yield* session.evaluate({ code: "\\p" })).output, "7\n")
    }),
  )

  test("D3 the reply to a statement that reads a file reports a cut quoted field, whatever the code does with it", {}, (session) =>
    Effect.gen(function* () {
      const told = (code: string) =>
        Effect.map(session.evaluate({ code }), ({ ok, notices }) => [ok, notices.filter(({ kind }) => kind === "quotes").length])
      yield* session.evaluate({ code: '`q.csv 6:"name,n\n\\"Smith, J\\",3\n"\n`p.csv 6:"a,1\n"' })
      assert.deepStrictEqual(yield* told('t:("SI";,",")0:`q.csv\n1+1'), [true, 1])
      assert.deepStrictEqual(yield* told('t:("SI";,",")0:`p.csv'), [true, 0])
      assert.deepStrictEqual(yield* told('`q.csv 0:,,"x"'), [true, 0])
    }),
  )

  test("S18 the memory limit gives an error that names it", { childMemory: 128 * 1024 ** 2, evalTimeout: 20_000 }, (session) =>
    Effect.gen(function* () {
      const outcome = yield* Effect.result(session.evaluate({ code: "a:!60000000" }))
      const said = outcome._tag === "Success" ? outcome.success.error?.name : outcome.failure._tag === "ChildDied" && outcome.failure.reason
      assert.include(["wsfull", "memory"], said)
      assert.strictEqual((yield* session.evaluate({ code: "1+1" })).output, "2\n")
    }),
  )

  test("S22 every directory, every kind of value and the settings are restored after a kill", {}, (session) =>
    Effect.gen(function* () {
      const look = "\\d\n\\p\n\\r\n.k\n.other\n.k.f[3]\n.k.p 4\n.k.dep\nz"
      yield* session.evaluate({
        code:
          'i:1\nf:{x+i}\np:{x+y}[2]\ng:+/\nd:.((`a;1;);(`b;(1.5;"c";`s)))\nv:1%!5\nw:"a\\001\\377"\ndep..d:"i+1"\ndep\n' +
          "\\d .other\nq:`a`b`c\n\\d .k.sub\nz:!10\n\\p 4\n\\r 7",
      })
      const before = yield* session.evaluate({ code: look })
      assert.isTrue(before.ok)
      yield* captured(session)
      yield* Effect.flip(session.evaluate({ code: "z:0\n_exit 3" }))
      const after = yield* session.evaluate({ code: look })
      assert.strictEqual(after.output, before.output)
      assert.deepInclude(after.notices[0], { kind: "restored", lost: [] })
    }),
  )

  test("S22 after a crash a function of the root and a value assigned over a dependency are as before", {}, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: 'a:1\nv..d:"a+1"\nv:9\n\\d ^\na:7\n.k.f:{a+x}\n\\d .k' })
      yield* captured(session)
      yield* Effect.flip(session.evaluate({ code: "_exit 3" }))
      const { output, notices } = yield* session.evaluate({ code: "v,f 1\na:2\nv" })
      assert.strictEqual(output, "9 8\n3\n")
      assert.deepInclude(notices[0], { kind: "restored", lost: [] })
    }),
  )

  test("S21 a too large variable is named, and the others are captured", { captureValue: 1024 }, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "a:1\nbig:!1000" })
      yield* captured(session)
      const { held } = yield* session.status
      assert.deepInclude(held, { variables: 1 })
      assert.match(held.lost[0]?.why ?? "", /1024 are held of one/)
      yield* Effect.flip(session.evaluate({ code: "_exit 3" }))
      const { notices } = yield* session.evaluate({ code: "a" })
      assert.deepInclude(notices[0], { kind: "restored", restored: 1 })
    }),
  )

  test("S22 running out of memory loses no captured variable", { childMemory: 128 * 1024 ** 2, evalTimeout: 20_000 }, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "x:5" })
      yield* captured(session)
      yield* Effect.result(session.evaluate({ code: "l:();while[1;l,:,(!100),1.5]" }))
      assert.strictEqual((yield* session.evaluate({ code: "x" })).output, "5\n")
    }),
  )

  test("S22 large values are restored whole, in many pieces", {}, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "a:!200000\nb:a%3\nc:($a)\nd:2 100000#a" })
      const sum = "+/a\n+/b\n#c\n*|c\n^d"
      const before = yield* session.evaluate({ code: sum })
      yield* captured(session)
      yield* Effect.flip(session.evaluate({ code: "_exit 3" }))
      assert.strictEqual((yield* session.evaluate({ code: sum })).output, before.output)
    }),
  )
})

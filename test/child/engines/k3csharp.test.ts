/** The promises over a real K3CSharp build, when `K3_BUILD_DIR` names one, and tests that need a real one. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Session } from "../../../src/session/Session.ts"
import { Sessions } from "../../../src/session/Sessions.ts"
import type { SettingValues } from "../../../src/Settings.ts"
import { real } from "../../lib/sessionLayers.ts"
import { captured } from "../../lib/waiting.ts"
import { realPromises } from "../../session/session.suite.ts"

const buildDir = process.env.K3_BUILD_DIR

const test = (name: string, settings: Partial<SettingValues>, body: (session: Session) => Effect.Effect<void, unknown>) =>
  it.live(name, () =>
    Effect.flatMap(Sessions, ({ get }) => Effect.flatMap(get("main"), body)).pipe(
      Effect.provide(real({ engine: "k3csharp", buildDir: buildDir!, ...settings })),
    ),
  )

describe.skipIf(buildDir === undefined)(`K3CSharp${buildDir === undefined ? ": skipped, K3_BUILD_DIR names no build" : ""}`, () => {
  realPromises({
    name: "K3CSharp as a real process",
    layer: (settings) => real({ ...settings, buildDir: buildDir! }),
    interruptible: false,
    engine: "k3csharp",
    code: {
      value: ["1+1", "2"],
      read: ["x", "5"],
      exit: { before: "f:{f x}", defines: [".k.f"], line: "f 1", how: { exitCode: null, signal: "SIGABRT" } },
      flood: "!100000",
    },
  })

  test("S12 inspection shows nil", {}, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "n:_n" })
      assert.deepInclude((yield* session.inspect("")).entries[0], { name: "n", kind: "nil", shape: "" })
    }),
  )

  test("I3 inspection shows an entry whose key is no name, and the entries of a dictionary in a list", {}, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: '.w:.((`a;1);(`"b c";5 6);(`"d e";.((`p;7);(`q;8))))\nl:(1;.((`p;7);(`q;8)))' })
      const { entries } = yield* session.inspect(".w", { depth: 2 })
      assert.deepStrictEqual(
        entries.map(({ name, preview }) => [name, preview]),
        [
          ["a", "1"],
          ['"b c"', "5 6"],
          ['"d e"', ".((`p;7;);(`q;8;))"],
          ['"d e".p', "7"],
          ['"d e".q', "8"],
        ],
      )
      const list = yield* session.inspect("l", { depth: 3 })
      assert.deepInclude(list.entries[3], { name: "[1].q", preview: "8" })
    }),
  )

  test("S25 a variable without an exact value is told as changed when it prints otherwise, or too much to tell", {}, (session) =>
    Effect.gen(function* () {
      const changesOf = (code: string) =>
        Effect.map(session.evaluate({ code, changes: true }), ({ changes }) => changes!.map(({ path }) => path))
      yield* changesOf('g:({x};1)\nd:.((`a;1);(`"b c";2);(`f;{x+1}))\nlong:70000#1')
      assert.deepStrictEqual(yield* changesOf("q:1"), [".k.long", ".k.q"])
      assert.deepStrictEqual(yield* changesOf("g:({x};2)"), [".k.g", ".k.long"])
      assert.deepStrictEqual(yield* changesOf('d:.((`a;1);(`"b c";3);(`f;{x+1}))'), ['.k.d."b c"', ".k.long"])
    }),
  )

  test("S14 reset also removes a name made with `::`, which `\\9` keeps", {}, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: "a::5" })
      assert.strictEqual((yield* session.reset).how, "relaunched")
      assert.strictEqual((yield* session.evaluate({ code: "a" })).ok, false)
    }),
  )

  test("S18 the memory limit gives an error of K, and the session goes on", { childMemory: 200 * 1024 ** 2 }, (session) =>
    Effect.gen(function* () {
      const { error } = yield* session.evaluate({ code: "a:!50000000\nb:a,a\nc:b,b\nd:c,c" })
      assert.strictEqual(error?.name, "wsfull")
      assert.deepInclude(yield* session.evaluate({ code: "1+1" }), { output: "2", generation: 1 })
    }),
  )

  test(
    "S22 S23 values are restored exactly after a kill and a reload, empty vectors in dictionaries, functions with their quotes; a variable that cannot be restored is named",
    {},
    (session) =>
      Effect.gen(function* () {
        yield* session.evaluate({
          code:
            'x:1%3\nv:1 2 3\ne:!0\nm:(1 2;3 4)\nf:{x,"a b"}\nfs:{(x;`p`q;`"r s";"\\t`")}\nt:"a\\"b\\n"\ns:`q\nsv:`a`b\nn:_n\nd:.((`a;1);(`b;2))\nde:.,(`e;!0)\nh:.((`a;1);(`e;!0))\n.r:7\n.rf:{x+3}\n.re:.()\n.k.fn.g:{x+2}\ng:+/\nl:({x};1)\n' +
            "\\d .k.z\ny:5\n\\p 3\n\\r 42",
        })
        const look =
          '.k.x\n.k.v\n.k.m\n.k.f ,"c"\n.k.fs 1\n.k.t\n.k.s\n.k.sv\n.k.d\n.k.e\n4:.k.e\n.k.e,7\n.k.de\n4:.k.de.e\n.k.de.e,7\n.k.h\n4:.k.h.e\n.k.fn.g 3\n.r\n.rf 3\n.re\ny\n\\p\n\\r\n\\d\n4:.k.n'
        const before = yield* session.evaluate({ code: look })
        assert.isTrue(before.ok, before.error?.text)
        yield* captured(session)
        yield* Effect.flip(session.evaluate({ code: "while[1;y:1]", timeoutMs: 300 }))
        const after = yield* session.evaluate({ code: look })
        assert.strictEqual(after.output, before.output)
        const [notice] = after.notices
        assert.strictEqual(notice?.kind, "restored")
        if (notice?.kind !== "restored") return
        assert.deepStrictEqual(
          notice.lost.map(({ path }) => path),
          [".k.g", ".k.l"],
        )
        const { variables } = yield* session.reload({ preserveState: true })
        assert.deepStrictEqual(variables?.lost, [])
        assert.strictEqual((yield* session.evaluate({ code: look })).output, before.output)
      }),
  )

  test("S2 a named function of several lines returns its value, without a notice", {}, (session) =>
    Effect.gen(function* () {
      const named = yield* session.evaluate({ code: "g:{[x]\n  x*2\n}\ng 7" })
      assert.match(named.output, /14$/)
      assert.deepStrictEqual(named.notices, [])
      const bare = yield* session.evaluate({ code: "{[x]\n  x*2\n} 7" })
      assert.deepInclude(bare, { output: "", notices: [{ kind: "brace", line: 3 }] })
    }),
  )

  test("S22 S23 letters beyond Latin-1 are restored at every place; half a surrogate pair is named", {}, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({
        code: 's:"a☃b"\nc:"☃"\nv:,"日"\nl:("☃";1;("日本";"a\\"\\\\";,"b");1.5;`"é☃";"\\377é\\n")\nd:.((`x;"☃");(`y;("";"😀1")))\ny:`"日 本"\nz:("";`"é☃")\nh:"😀"[0]\n\\p 3',
      })
      const look = "_ic s\n_ic c\n_ic v\nl\nd\n_ic (l[0])\ny\nz\n4:c\n4:v"
      const before = yield* session.evaluate({ code: look })
      assert.isTrue(before.ok, before.error?.text)
      const { variables } = yield* session.reload({ preserveState: true })
      assert.deepStrictEqual(
        variables?.lost.map(({ path }) => path),
        [".k.h"],
      )
      assert.strictEqual((yield* session.evaluate({ code: look })).output, before.output)
    }),
  )
})

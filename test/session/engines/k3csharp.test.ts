/** The promises over a real K3CSharp build, when `K3_BUILD_DIR` names one, and what only the real one can show. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Sessions } from "../../../src/session/Sessions.ts"
import { real } from "../../lib/sessionLayers.ts"
import { isAlive } from "../../lib/processes.ts"
import { promises } from "../session.suite.ts"

const buildDir = process.env.K3_BUILD_DIR

describe.skipIf(buildDir === undefined)(`K3CSharp${buildDir === undefined ? ": skipped, K3_BUILD_DIR names no build" : ""}`, () => {
  promises({
    name: "K3CSharp as a real process",
    layer: (settings) => real({ ...settings, buildDir: buildDir! }),
    it: it.live,
    pass: () => Effect.void,
    yieldNow: Effect.sleep(2),
    alive: isAlive,
    interruptible: false,
    engine: "k3csharp",
    code: {
      value: ["1+1", "2"],
      several: ["1+1\n{[a]\n a+1}[4]\n\\p", "2\n5\n7\n"],
      assign: "x:5",
      reassign: "x:6",
      another: "y:1",
      name: "x",
      read: ["x", "5"],
      loop: "while[1;y:1]",
      error: ["foo", "value"],
      exit: { before: "f:{f x}", line: "f 1", how: { exitCode: null, signal: "SIGABRT" } },
      flood: "!100000",
    },
  })

  it.live("S12 inspection shows type, shape and preview of what is there", () =>
    Effect.gen(function* () {
      const session = yield* Effect.flatMap(Sessions, ({ get }) => get("main"))
      yield* session.evaluate({ code: 'v:!100\nm:(1 2;3 4)\nf:{x+1}\nt:"abc"\nd:.((`a;1);(`b;2))\ns:`q\nn:_n' })
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
          ["n", "nil", ""],
        ],
      )
      assert.strictEqual(entries[1]?.preview, "(1 2;3 4)")
      assert.deepStrictEqual(
        (yield* session.inspect(".k.d")).entries.map(({ name, preview }) => [name, preview]),
        [
          ["a", "1"],
          ["b", "2"],
        ],
      )
      assert.deepInclude((yield* session.inspect(".k.f")).value, { kind: "function", preview: "{x+1}" })
      assert.deepStrictEqual((yield* session.inspect("nothing")).value?.kind, "no value")
    }).pipe(Effect.provide(real({ engine: "k3csharp", buildDir: buildDir! }))),
  )

  it.live("S14 reset is clean of a name made with `::` as well, which `\\9` leaves", () =>
    Effect.gen(function* () {
      const session = yield* Effect.flatMap(Sessions, ({ get }) => get("main"))
      yield* session.evaluate({ code: "a::5" })
      assert.strictEqual((yield* session.reset).how, "relaunched")
      assert.strictEqual((yield* session.evaluate({ code: "a" })).ok, false)
    }).pipe(Effect.provide(real({ engine: "k3csharp", buildDir: buildDir! }))),
  )

  it.live("S18 the memory limit ends in an error of K, and the session goes on", () =>
    Effect.gen(function* () {
      const session = yield* Effect.flatMap(Sessions, ({ get }) => get("main"))
      const { error } = yield* session.evaluate({ code: "a:!50000000\nb:a,a\nc:b,b\nd:c,c" })
      assert.strictEqual(error?.name, "wsfull")
      assert.deepInclude(yield* session.evaluate({ code: "1+1" }), { output: "2", generation: 1 })
    }).pipe(Effect.provide(real({ engine: "k3csharp", buildDir: buildDir!, childMemory: 200 * 1024 ** 2 }))),
  )

  it.live("S22 S23 values come back as they were after a kill, functions with their quotes; what cannot is named", () =>
    Effect.gen(function* () {
      const session = yield* Effect.flatMap(Sessions, ({ get }) => get("main"))
      const captured: Effect.Effect<void> = Effect.flatMap(session.status, ({ held }) =>
        held.missed === 0
          ? Effect.void
          : Effect.andThen(
              Effect.sleep(10),
              Effect.suspend(() => captured),
            ),
      )
      yield* session.evaluate({
        code:
          'x:1%3\nv:1 2 3\ne:!0\nm:(1 2;3 4)\nf:{x,"a b"}\nt:"a\\"b\\n"\ns:`q\nsv:`a`b\nn:_n\nd:.((`a;1);(`b;2))\n.k.fn.g:{x+2}\ng:+/\nl:({x};1)\n' +
          "\\d .k.z\ny:5\n\\p 3\n\\r 42",
      })
      const look = '.k.x\n.k.v\n.k.m\n.k.f ,"c"\n.k.t\n.k.s\n.k.sv\n.k.d\n.k.fn.g 3\ny\n\\p\n\\r\n\\d\n4:.k.n'
      const before = yield* session.evaluate({ code: look })
      assert.isTrue(before.ok, before.error?.text)
      yield* captured
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
    }).pipe(Effect.provide(real({ engine: "k3csharp", buildDir: buildDir! }))),
  )
})

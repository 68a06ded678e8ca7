/** S22 values that K3CSharp's images lose are restored from their text, over a fake child whose `_db` has the same losses. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Child } from "../../../src/child/Child.ts"
import { imageBytes } from "../../../src/child/engines/image.ts"
import { paths } from "../../../src/child/engines/k3csharpVariable.ts"
import { k3csharpTracker } from "../../../src/child/engines/k3csharpState.ts"
import { recall, type WrittenForms } from "../../../src/child/engines/k3csharpWritten.ts"
import { patient } from "../../../src/child/engines/Tracker.ts"
import { TreeEvaluator } from "../../../src/k3/interpreter/TreeEvaluator.ts"
import { Interpreter } from "../../../src/k3/interpreter/Interpreter.ts"
import { imageOf } from "../../../src/k3/values/image.ts"
import { memoryHost } from "../../lib/memoryHost.ts"

const imageAfter = (code: string): Uint8Array => {
  const k = new TreeEvaluator(memoryHost())
  assert.isUndefined(new Interpreter(k, {}).evaluate(`x:${code}`)?.rendered)
  return imageOf(k.variables.lookup("x"))
}

const answering = (answer: (asked: string) => string): Child =>
  ({
    ask: (line: string) =>
      Effect.sync(() => {
        const head = new TextEncoder().encode(answer(line.trim()))
        return { bytes: head.length, head, omitted: 0, tail: new Uint8Array() }
      }),
  }) as Partial<Child> as Child

/** A fake child with one variable, `.k.d`. Its `_db` of the image of `exact` gives the value of `lossy`. */
const standIn = (exact: string, lossy: string) => {
  const lost = imageAfter(exact)
  let held = lost
  const assign = (form: string) => {
    const written = form.startsWith("_db ") ? imageBytes(form) : undefined
    held = written === undefined ? imageAfter(form) : written.join() === lost.join() ? imageAfter(lossy) : written
    return ""
  }
  const answers: { readonly [asked: string]: string } = {
    "!`": "`k`t",
    "!`.k": ",`d",
    "(4:.k.d;^.k.d;#.k.d)": "(5;!0;1)",
    ".k.d": exact,
    "\\p": "7",
    "\\r": "-314159",
    "\\d": ".k",
    "\\cd": "/",
  }
  const answer = (asked: string): string => {
    const form = /^\.k\.d:(.*);$/s.exec(asked)?.[1]
    if (form !== undefined) return assign(form)
    return asked === "_ic _bd .k.d" ? held.join(" ") : answers[asked]!
  }
  return { child: answering(answer), image: () => held }
}

it.effect(
  "S22 a variable of the root is a variable, and so is a directory with a key that is no name; the interpreter's own names there are none",
  () =>
    Effect.gen(function* () {
      const error = "Error: Cannot enumerate: not a dictionary"
      const answers: { readonly [asked: string]: string } = {
        "!`": "`k`t`a`d`e`f",
        "!`.d": "`x`y",
        "!`.e": "0#`",
        "!`.f": '`x`"y z"',
      }
      const child = answering((asked) => answers[asked] ?? error)
      assert.deepStrictEqual(yield* paths(child), [".a", ".d.x", ".d.y", ".e", ".f"])
    }),
)

it.effect.each([
  [".,(`e;!0;_n)", ".,(`e;();_n)"],
  ['.((`a;1;_n);(`b;"";_n))', ".((`a;1;_n);(`b;();_n))"],
  ["(1;0#0.0)", "(1;())"],
  ["(`a;,0#`)", "(`a;,())"],
] as const)("S22 %s comes back although its image brings another value", ([exact, lossy]) =>
  Effect.gen(function* () {
    const { child, image } = standIn(exact, lossy)
    const before = image()
    const tracker = k3csharpTracker(child, new Map())
    const found = yield* tracker.read(patient)
    assert.deepStrictEqual([...found!.changed.keys()], [".k.d"])
    assert.deepStrictEqual(yield* tracker.restore([...found!.changed.values()], 7), [])
    assert.deepStrictEqual(image(), before)
  }),
)

it.effect("S23 a symbol whose bytes are no UTF-8, which K3CSharp replaces, is named", () =>
  Effect.gen(function* () {
    const { child } = standIn('(`"\\377";`a)', '(`"\\357\\277\\275";`a)')
    const tracker = k3csharpTracker(child, new Map())
    const found = yield* tracker.read(patient)
    assert.deepStrictEqual(yield* tracker.restore([...found!.changed.values()], 7), [{ path: ".k.d", why: "what came back is not equal" }])
  }),
)

it.effect("S22 a value of another engine comes back from its text when K3CSharp cannot print what its image makes", () =>
  Effect.gen(function* () {
    const image = `_db _ci ${imageAfter('("\\200";0.1)').join(" ")}`
    let shown = ""
    const child = answering((asked) => {
      const form = /^\.k\.d:(.*);$/s.exec(asked)?.[1]
      if (form !== undefined) {
        shown = form.startsWith("_db ") ? "Error: Character vector contains non-character elements" : form
        return ""
      }
      if (asked === "(4:.k.d;^.k.d;#.k.d)") return "(0;,2;2)"
      return asked === "_ic _bd .k.d" ? image.slice("_db _ci ".length) : asked === ".k.d" ? shown : ""
    })
    const variable = { path: ".k.d", type: 0, shape: "2", bytes: 0, text: "", image }
    assert.deepStrictEqual(yield* k3csharpTracker(child, new Map()).restore([variable], 7), [])
    assert.strictEqual(shown, '("\\200";0.1)')
  }),
)

it.effect("S23 in a dictionary with functions, an entry whose key is no name is named, and so are attributes", () =>
  Effect.gen(function* () {
    const facts = (path: string, type: number) => [`(4:${path};^${path};#${path})`, `(${type};!0;1)`] as const
    const image = (path: string, code: string) => [`_ic _bd ${path}`, imageAfter(code).join(" ")] as const
    const answers = new Map<string, string>([
      ["!`", "`k`t"],
      ["!`.k", ",`d"],
      ["!`.k.d", '`a`"b c"`f'],
      facts(".k.d", 5),
      image(".k.d", '.((`a;1;_n);(`"b c";2;_n);(`f;{x};.,(`u;1;_n)))'),
      facts(".k.d.a", 1),
      image(".k.d.a", "1"),
      facts(".k.d.f", 7),
      image(".k.d.f", "{x}"),
      [".k.d.f", "{x}"],
    ])
    const found = yield* k3csharpTracker(
      answering((asked) => answers.get(asked) ?? "0"),
      new Map([["{x}", "{x}"]]),
    ).read(patient)
    assert.deepStrictEqual(
      Array.from(found!.changed.values(), ({ path, why }) => [path, why]),
      [
        [".k.d.a", undefined],
        ['.k.d."b c"', "K3CSharp assigns no entry whose key is not a name"],
        [".k.d.f", undefined],
        [".k.d.f.", "K3CSharp does not bring back attributes beside functions"],
      ],
    )
  }),
)

it.effect("S22 a variable that neither image nor text restores is named, and no other value stays under its name", () =>
  Effect.gen(function* () {
    const { child, image } = standIn(".,(`e;!0;_n)", ".,(`e;();_n)")
    const found = yield* k3csharpTracker(child, new Map()).read(patient)
    const isValue = (line: string): boolean => line.includes(":.") || line.includes(":_db")
    const wrong: Child = { ...child, ask: (line, spill) => child.ask(isValue(line) ? ".k.d:1;\n" : line, spill) }
    const lost = yield* k3csharpTracker(wrong, new Map()).restore([...found!.changed.values()], 7)
    assert.deepStrictEqual(lost, [{ path: ".k.d", why: "what came back is not equal" }])
    assert.deepStrictEqual(image(), imageAfter("_n"))
  }),
)

it.effect("S22 B7 a function of several lines is restored as the line that means the same", () =>
  Effect.gen(function* () {
    const asked: string[] = []
    const child = answering((line) => {
      asked.push(line)
      return line === ".k.f" ? "{[x]a:x+1;(a;s b;p)}" : ""
    })
    const image = '{[x]\n  a:x+1 / one\n  (a;"s b";`p)}'
    const variable = { path: ".k.f", type: 7, shape: "", bytes: 0, text: "", image }
    const written: WrittenForms = new Map()
    assert.deepStrictEqual(yield* k3csharpTracker(child, written).restore([variable], 7), [])
    assert.deepStrictEqual(asked, ["\\p 7", '.k.f:{[x] a:x+1;(a;"s b";`p)};', ".k.f"])
    assert.strictEqual(recall(written, "{[x] a:x+1;(a;s b;p)}"), image)
  }),
)

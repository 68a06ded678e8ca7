/** H4 a value written as K text is the value, for every type and nesting. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { TreeEvaluator } from "../../../src/k3/interpreter/TreeEvaluator.ts"
import { Interpreter } from "../../../src/k3/interpreter/Interpreter.ts"
import { imageOf } from "../../../src/k3/values/image.ts"
import { textOf } from "../../../src/child/engines/imageText.ts"
import { memoryHost } from "../../lib/memoryHost.ts"
import { anything, data } from "../../lib/values.ts"

const host = memoryHost()
const k = new TreeEvaluator(host)
const interpreter = new Interpreter(k, {})
const imageAfter = (text: string): Uint8Array => {
  expect(interpreter.evaluate(`y:${text}`)?.rendered, text).toBeUndefined()
  return imageOf(k.variables.lookup("y"))
}

it("H4 the text of data evaluates to the same image", () => {
  fc.assert(
    fc.property(data, (x) => {
      const image = imageOf(x)
      expect(imageAfter(textOf(image, ".k"))).toEqual(image)
    }),
    { numRuns: 500 },
  )
})

it("H4 the text of a value with functions evaluates to a matching value", () => {
  fc.assert(
    fc.property(anything, (x) => {
      k.variables.assign("x", x)
      expect(interpreter.evaluate(`z:x~(${textOf(imageOf(x), ".k")})`)?.rendered).toBeUndefined()
      expect(k.variables.lookup("z")).toBe(1)
    }),
    { numRuns: 500 },
  )
})

it.each([
  ["1", "1"],
  ["-0.0", "-0.0"],
  ["1e300", "1e300"],
  ["0N 0I -0I", "0N 0I -0I"],
  ["0n 0i -0i", "0n 0i -0i"],
  ["1.0 2", "1.0 2.0"],
  [",1", ",1"],
  ['"a\\"\\n\\000"', '"a\\"\\n\\000"'],
  [',"a"', ',"a"'],
  ['(`a;`"b c";`)', '`a`"b c"`'],
  ["(1;`a;_n;,2)", "(1;`a;_n;,2)"],
  [".((`a;1);(`b;2))", ".((`a;1;_n);(`b;2;_n))"],
  ["{[a;b]\n a+b}", "{[a;b]\n a+b}"],
  [",({x+y}/)", ",({x+y}/)"],
])("%s is written %s", (code, text) => {
  interpreter.evaluate(`x:${code}`)
  expect(textOf(imageOf(k.variables.lookup("x")), ".k")).toBe(text)
})

it("a function of another directory, without {…}, or with captured locals, is written as its image", () => {
  interpreter.evaluate("\\d .k.other")
  interpreter.evaluate("f:{x+w}")
  interpreter.evaluate("\\d .k")
  expect(textOf(imageOf(k.variables.lookup(".k.other.f")), ".k.other")).toBe("{x+w}")
  expect(textOf(imageOf(k.variables.lookup(".k.other.f")), ".k")).toMatch(/^_db "/)
  for (const f of ["+/", "{[n]{x+n}}3"]) {
    interpreter.evaluate(`g:${f}`)
    expect(textOf(imageOf(k.variables.lookup("g")), ".k")).toMatch(/^_db "/)
  }
})

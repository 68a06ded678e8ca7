/** The example in the head of `compile.ts` is the compiler's output; and the compiler never reads its own output. */
import { readdirSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { generate } from "../../../src/k3/compile/compile.ts"
import { TreeEvaluator } from "../../../src/k3/interpreter/TreeEvaluator.ts"
import { vocabulary } from "../../../src/k3/primitives/vocabulary.ts"
import { parse } from "../../../src/k3/syntax/parser.ts"
import { memoryHost } from "../../lib/memoryHost.ts"

const file = new URL("../../../src/k3/compile/compile.ts", import.meta.url)
const head = readFileSync(file, "utf8")
  .split(" */\n", 1)[0]!
  .replaceAll(/^ \* ?/gm, "")
const [, example] = head.split("```\n")
const shown = example!.trim().split("\n\n")

it.each([0, 2])("statement %i of the example becomes the code below it", (i) => {
  const [source, code] = shown.slice(i, i + 2) as [string, string]
  const { text } = generate(source, parse(source, vocabulary()).statements, new TreeEvaluator(memoryHost()), new Set())
  expect(text.replace('"use strict";', "")).toBe(code)
})

it("no decision reads generated text: the text of an operand is only put into other text", () => {
  const folder = new URL("../../../src/k3/compile/", import.meta.url)
  const files = readdirSync(folder).map((name) => ({ name, text: readFileSync(new URL(name, folder), "utf8") }))
  expect(files.some(({ text }) => text.includes(".js}"))).toBe(true)
  const reading = /\.js\.\w+|\.js *[!=]==|\.(?:test|exec|match)\([^)]*\.js\b|\bjs\.\w+\(/
  expect(files.filter(({ text }) => reading.test(text)).map(({ name }) => name)).toEqual([])
})

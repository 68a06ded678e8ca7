/**
 * Evaluates any text: text by the grammar of K, recorded input of Kx's interpreters, cut, spliced and scrambled, and arbitrary bytes. Each ends
 * in a value or in an error of K with its place, within its limits, and the interpreter answers the next statement. Checking a
 * statement finds a syntax error exactly when evaluating it does.
 */
import { readFileSync } from "node:fs"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { makeInterpreter } from "../../src/k3/k3.ts"
import type { ErrorKind, SyntaxKind } from "../../src/k3/run/wording.ts"
import { validate } from "../../src/k3/syntax/validate.ts"
import { memoryHost } from "../lib/memoryHost.ts"
import { heapUsed, report, tries } from "./scale.ts"
import { statements } from "../../src/k3/text/statements.ts"

const corpus: readonly string[] = ["kx", "kona"].flatMap((name) =>
  readFileSync(new URL(`../cases/${name}.jsonl`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Buffer.from((JSON.parse(line) as { code: string }).code).toString("latin1"))
    .filter((code) => code.length < 300),
)

const piece = fc.constantFrom(...corpus)
const glyph = fc.constantFrom(
  ..."()[]{};:+-*%!&|<>=~?_,^#@.$'/\\\"` \n0123456789abxyzNIen",
  "_n",
  "0N",
  "0n",
  "::",
  "/:",
  "\\:",
  ":[",
  "while[",
)
const bytes = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 60 })

/** One piece with some of it taken away, put in or turned over. */
const scrambled = fc
  .tuple(piece, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 8 }), fc.oneof(glyph, piece, fc.constant(""))), { minLength: 1, maxLength: 4 }))
  .map(([start, edits]) =>
    edits.reduce((text, [at, length, put]) => {
      const from = text.length === 0 ? 0 : at % text.length
      return text.slice(0, from) + put + text.slice(from + length)
    }, start),
  )

const number = fc.oneof(
  fc.integer({ min: -9, max: 99 }).map(String),
  fc.constantFrom("0N", "0I", "-0i", "1.5", "1e300", "!0", "1 2 3", "0 1.5"),
)
const verb = fc.constantFrom(..."+-*%!&|<>=~?_,^#@.$:".split(""), "_in", "_bin", "_ss", "_sv", "_vs", "_dot", "_draw")
const adverb = fc.constantFrom("", "", "", "/", "\\", "'", "/:", "\\:", "':")
const name = fc.constantFrom("a", "b", "f", "x", "y", "z", ".k.a", "d.e", "_f")

/** Text by the grammar of K, whether it makes sense or not. */
const { expression } = fc.letrec<{ noun: string; expression: string; body: string }>((tie) => ({
  noun: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    number,
    name,
    fc.constantFrom('""', '"a"', '"abc"', "`a", "`a`b", "()", "_n"),
    fc.array(tie("expression"), { maxLength: 4 }).map((items) => `(${items.join(";")})`),
    fc.tuple(fc.constantFrom("", "[x]", "[x;y]", "[]"), tie("body")).map(([parameters, body]) => `{${parameters}${body}}`),
    fc
      .tuple(tie("noun"), fc.array(fc.oneof(tie("expression"), fc.constant("")), { maxLength: 3 }))
      .map(([f, given]) => `${f}[${given.join(";")}]`),
  ),
  expression: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    tie("noun"),
    fc.tuple(verb, adverb, tie("expression")).map((parts) => parts.join("")),
    fc.tuple(tie("noun"), verb, adverb, tie("expression")).map((parts) => parts.join("")),
    fc.tuple(tie("noun"), adverb, tie("expression")).map(([f, how, x]) => `${f}${how} ${x}`),
    fc.tuple(name, fc.constantFrom(":", "+:", "::", "[0]:"), tie("expression")).map((parts) => parts.join("")),
    fc.tuple(tie("expression"), tie("expression"), tie("expression")).map((items) => `:[${items.join(";")}]`),
    fc
      .tuple(fc.constantFrom("if", "while", "do"), fc.constantFrom("0", "3", "a"), tie("expression"))
      .map(([word, n, x]) => `${word}[${n};${x}]`),
    fc
      .tuple(fc.constantFrom("@", "."), tie("noun"), tie("expression"), verb, tie("expression"))
      .map(([how, x, i, f, y]) => `${how}[${x};${i};${f};${y}]`),
  ),
  body: fc.array(tie("expression"), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(";")),
}))

const source = fc.oneof(
  { weight: 6, arbitrary: expression },
  { weight: 6, arbitrary: scrambled },
  fc.tuple(piece, glyph, piece).map((parts) => parts.join("")),
  fc.array(glyph, { maxLength: 40 }).map((parts) => parts.join("")),
  bytes,
)

const syntactic: ReadonlySet<ErrorKind> = new Set<SyntaxKind>(["parse", "open", "unmatched", "character", "reserved", "unknown", "deep"])
const nothing = { names: new Map<string, number>(), directory: ".k" }

const limits = { steps: 2e4, memory: 8 * 1024 ** 2, depth: 60 }

/** Text that ends the interpreter, or waits for input that never comes. */
const ends = (statement: string): boolean => /\\\\|_exit|^\s*\\\s*$/.test(statement)

it("sources: a value or an error of K, and on it goes", () => {
  let made = 0
  let before: number | undefined
  let host = memoryHost()
  let interpreter = makeInterpreter(host, limits)
  fc.assert(
    fc.property(source, (text) => {
      if (made++ % 40 === 0) {
        host = memoryHost()
        interpreter = makeInterpreter(host, limits)
      }
      for (const { source: statement } of statements(text)) {
        if (ends(statement)) continue
        const failure = interpreter.evaluate(statement)
        host.take()
        // An error of a text that the statement executes comes through the statement.
        const isRefused = failure !== undefined && syntactic.has(failure.kind) && failure.path.length === 0
        const isCommand = /^[ \t\r]*\\/.test(statement)
        if (!isCommand)
          expect(
            validate(statement, nothing).some(({ severity }) => severity === "error"),
            statement,
          ).toBe(isRefused)
        if (failure === undefined) continue
        expect(failure.rendered).toMatch(/error/)
        expect(failure.rendered.endsWith("\n")).toBe(true)
        if (failure.line > 0) expect(failure.line).toBeLessThanOrEqual(statement.split("\n").length)
      }
      expect(interpreter.evaluate("\\d .k")).toBeUndefined()
      host.take()
      expect(interpreter.evaluate("1+1")).toBeUndefined()
      expect(host.take()).toBe("2\n")
      if (made > 2000) before ??= heapUsed()
    }),
    tries(2000),
  )
  const after = heapUsed()
  report("sources", { evaluated: made, "heap before, MiB": before ?? after, "heap after, MiB": after })
  if (before !== undefined) expect(after - before).toBeLessThan(64)
})

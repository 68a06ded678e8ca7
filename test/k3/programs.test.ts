/** Random programs: the interpreter answers any text within its limits, and its variables stay whole. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { makeInterpreter } from "../../src/k3/k3.ts"
import { memoryHost } from "../lib/memoryHost.ts"
import { statements } from "../../src/k3/text/statements.ts"

const { expression } = fc.letrec<{ expression: string; noun: string }>((tie) => ({
  noun: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("0", "1", "-2", "3.5", "1 2 3", "0N 0I", "1.5 2", '"abc"', '"x"', "`a", "`a`b", "()", "!0", "_n", "a", "b", "c", "d.x"),
    fc.array(tie("expression"), { minLength: 1, maxLength: 3 }).map((items) => `(${items.join(";")})`),
    fc
      .tuple(fc.constantFrom("", "[x;y]", "[]"), fc.array(tie("expression"), { minLength: 1, maxLength: 2 }))
      .map(([head, body]) => `{${head}${body.join(";").replaceAll("c", "x")}}`),
    fc.tuple(tie("noun"), fc.array(tie("expression"), { maxLength: 2 })).map(([f, args]) => `${f}[${args.join(";")}]`),
  ),
  expression: fc.oneof(
    { depthSize: "small" },
    tie("noun"),
    fc.tuple(fc.constantFrom(..."+-*%|&^!<>=~?_,#@.$"), tie("expression")).map(([verb, x]) => `${verb} ${x}`),
    fc
      .tuple(tie("noun"), fc.constantFrom(..."+-*%|&^!<>=~?_,#@.$", "+/", ",'", "+/:", ",\\:", "_in", "_ss"), tie("expression"))
      .map(([x, verb, y]) => `${x} ${verb} ${y}`),
    fc
      .tuple(fc.constantFrom("a", "b", "c", "d.x"), fc.constantFrom(":", "+:", ",:", "::"), tie("expression"))
      .map((parts) => parts.join("")),
    fc.tuple(tie("noun"), tie("expression")).map(([i, y]) => `a[${i}]:${y}`),
    fc.array(tie("expression"), { minLength: 2, maxLength: 3 }).map((args) => `:[${args.join(";")}]`),
    fc.tuple(tie("expression"), tie("expression")).map(([n, x]) => `while[${n};${x}]`),
    fc.tuple(fc.constantFrom("+/", ",/", "|/", "+\\", "#:'", "<", "5:"), tie("expression")).map(([f, x]) => `${f}${x}`),
  ),
}))

const limits = { steps: 2e5, memory: 64 * 1024 ** 2, depth: 100 }

const fresh = () => {
  const host = memoryHost()
  return { host, interpreter: makeInterpreter(host, limits) }
}

it("grammatical programs end in a value or an error of K, and every variable can still be shown and read back as itself", () => {
  fc.assert(
    fc.property(fc.array(expression, { minLength: 1, maxLength: 5 }), (statements) => {
      const { host, interpreter } = fresh()
      for (const statement of ["\\p 17", "a:1 2 3", "b:2", 'c:("x";1 2)', "d:.,(`x;1)"]) interpreter.evaluate(statement)
      for (const statement of statements) {
        const failure = interpreter.evaluate(statement)
        if (failure !== undefined) expect(failure.rendered).toContain(failure.name)
        host.take()
      }
      for (const name of ["a", "b", "c", "d"]) {
        // A loop that ran to its limit may have left more, or more deeply nested, than can be shown within the same limits.
        const failure = interpreter.evaluate(`{:[1000>#s:5:x;x~.s;1]}[${name}]`)
        expect(["limit", "stack", undefined]).toContain(failure?.name)
        expect(host.take()).toBe(failure === undefined ? "1\n" : "")
      }
    }),
    { numRuns: 200 },
  )
}, 120_000)

it("any text at all ends in a value or an error of K", () => {
  const characters = fc.constantFrom(..."()[]{};:+-*%!&|<>=~?_,^#@.$'/\\\"` \n\tabxyz019.eN", "while[", "_ss", "\\p ", ":[")
  fc.assert(
    fc.property(fc.array(characters, { maxLength: 40 }), (parts) => {
      const { interpreter } = fresh()
      const text = parts.join("").replaceAll("\\\\", "\\")
      for (const { source } of statements(text)) if (!/^\\(\\|cd|l)/.test(source)) interpreter.evaluate(source)
    }),
    { numRuns: 3000 },
  )
})

it("a function printed and entered again is the same function", () => {
  fc.assert(
    fc.property(expression, (body) => {
      const { host, interpreter } = fresh()
      if (interpreter.evaluate(`f:{${body}}`) !== undefined) return
      host.take()
      expect(interpreter.evaluate("f")).toBeUndefined()
      const text = host.take()
      expect(interpreter.evaluate(`g:${text.replace(/\n$/, "")}`)).toBeUndefined()
      expect(interpreter.evaluate("f~g")).toBeUndefined()
      expect(host.take()).toBe("1\n")
    }),
    { numRuns: 500 },
  )
})

it("an assignment that fails leaves every variable as it was", () => {
  fc.assert(
    fc.property(expression, expression, (i, y) => {
      const { host, interpreter } = fresh()
      for (const statement of ["a:(1 2;`x;3.5)", "b:2", "c:`k", "d:.,(`x;1)"]) interpreter.evaluate(statement)
      // Only what the statement itself amends is of interest: its parts may assign as they please before the failure.
      if (/:/.test(i + y)) return
      host.take()
      interpreter.evaluate("5:a")
      const before = host.take()
      if (interpreter.evaluate(`a[${i}]:${y}`) === undefined) return
      host.take()
      interpreter.evaluate("5:a")
      expect(host.take()).toBe(before)
    }),
    { numRuns: 1500 },
  )
})

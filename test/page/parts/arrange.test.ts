/** J6 tables: which values are tables, and the K that arranges them. */
import { describe, expect, it } from "vitest"
import { layoutOf } from "../../../src/grid/layout.ts"
import { columnsCode, copiedFor, filterExample, filterNames, rowsCode } from "../../../src/page/arrange.ts"
import { makeInterpreter } from "../../../src/embed/k3.ts"

describe("J6 what is a table", () => {
  const variable = (more: object) => ({ name: "a", type: -1, kind: "integers", shape: "3", preview: "", ...more })

  it("vectors, lists, and dictionaries of columns as long as each other", () => {
    expect(layoutOf({ value: variable({}) })).toEqual({ kind: "array" })
    expect(layoutOf({ value: variable({ type: 0 }) })).toEqual({ kind: "array" })
    expect(layoutOf({ entries: [variable({}), variable({ name: "b", type: 0 })] })).toEqual({ kind: "table", names: ["a", "b"] })
  })

  it("and nothing else", () => {
    for (const no of [
      { value: variable({ type: 1, shape: "" }) },
      { value: variable({ type: 7 }) },
      { entries: [] },
      { entries: [variable({}), variable({ shape: "4" })] },
      { entries: [variable({ type: 5, shape: "" })] },
    ])
      expect(layoutOf(no)).toBeUndefined()
  })

  it("of a path the variable is copied that holds it", () => {
    expect([".k.a", ".k.a.b.c", ".x"].map(copiedFor)).toEqual([".k.a", ".k.a", ".x"])
  })
})

describe("J6 the K that arranges a table", () => {
  const run = (...codes: readonly string[]): string => {
    const k = makeInterpreter()
    return codes.map((code) => k.evaluate(code)).map(({ output, error }) => error?.text ?? output)[codes.length - 1]!
  }
  const table = 't:.((`a;3 1 2);(`b;("x";"yy";"zzz")))'

  it("filters by the columns' names, and sorts what is left", () => {
    const columns = columnsCode(".k.t", { kind: "table", names: ["a", "b"] }, 2)
    const code = rowsCode(["a", "b"], "a>1", { column: 0, down: false })
    expect(run(table, columns, code)).toBe("2\n")
    expect(run(table, columns, code, "paget.c0", "(paget.c0;paget.c1)")).toBe('(2 3\n ("zzz"\n  "x"))\n')
    expect(run(table, columns, rowsCode(["a", "b"], "", { column: 0, down: true }), "paget.c0")).toBe("3 2 1\n")
    expect(run(table, columns, rowsCode(["a", "b"], "", undefined), "paget.c0")).toBe("3 1 2\n")
    expect(run(table, columns, rowsCode(["a", "b"], "a>9", undefined))).toBe("0\n")
    expect(run(table, columns, rowsCode(["a", "b"], "a>", undefined))).toContain("error")
  })

  it("takes the columns of a matrix, and one of everything else", () => {
    expect(run("m:2 3#!6", columnsCode(".k.m", { kind: "array" }, 3), "#pagec")).toBe("3\n")
    // Of a dictionary with more columns than are listed.
    expect(run(table, columnsCode(".k.t", { kind: "table", names: ["a"] }, 1), "pagec")).toBe(",3 1 2\n")
    expect(run("v:(1;`a)", columnsCode(".k.v", { kind: "array" }, 1), rowsCode(["value"], "", undefined), "paget.c0")).toBe("(1;`a)\n")
    expect(run("v:!5", columnsCode(".k.v", { kind: "array" }, 1), rowsCode(["value"], "value>2", undefined))).toBe("2\n")
  })

  it("has an example of a filter that the column takes", () => {
    const examples = [
      ["3 1 2", "3", "v>0"],
      ["-0.5 2", "-0.5", "v>0"],
      ["`a`b", "`a", "v=`a"],
      ['"abc"', '"a"', 'v~\\:"a"'],
      ['("one";"two")', '"one"', 'v~\\:"one"'],
      ["(1 2;3 4 5)", "1 2", "v~\\:1 2"],
    ] as const
    for (const [value, cell, example] of examples) {
      expect(filterExample("v", cell)).toBe(`such as ${example}`)
      expect(run(`v:${value}`, columnsCode(".k.v", { kind: "array" }, 1), rowsCode(["v"], example, undefined))).toMatch(/^\d+\n$/)
    }
    expect([filterExample("v"), filterExample("v", "1 2 3…")]).toEqual(["", ""])
  })

  it("has names for columns that have none in K", () => {
    expect(filterNames(["a", "not a name", "b"])).toEqual(["a", "c1", "b"])
    expect(filterNames(["a b"])).toEqual(["x"])
    expect(filterNames(["c1", "not a name", "c1c", "a b"])).toEqual(["c1", "c1cc", "c1c", "c3"])
  })
})

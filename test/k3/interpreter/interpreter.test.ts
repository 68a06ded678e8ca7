/** The interpreter as a console: printed values, scope, projections, limits, traps, scripts. */
import { describe, expect, it } from "vitest"
import { memoryHost } from "../../lib/memoryHost.ts"
import { makeConsole, printed } from "../../lib/session.ts"

describe("what the console prints", () => {
  it.each([
    ["a:1", ""],
    ["i:1;i+:1", ""],
    ["a:1 2;a[0]:5", ""],
    ["(a:1)", "1"],
    ["1+a:42", "43"],
    ["1;2;3", "3"],
    ["_n", ""],
    ['."b:3"', ""],
    ['."b:3";b', "3"],
    ["if[1;2]", ""],
    [":5", "5"],
    ["1;:2;3", "2"],
  ])("%s", (script, expected) => expect(printed(script)).toBe(expected))
})

describe("scope", () => {
  it.each([
    ["a:100\n{a:x*2;a}25\na", "50\n100"],
    ["{a::x;}7\na", "7"],
    ["a:1 2\n{a+:x;}5\na", "6 7"],
    ["f:{a:x;g:{a+x};a:99;g 1}\nf 5", "6"],
    ["{{[a]a+x}}[1][2]", "3"],
    ["f:{[n]{[m]n,m}'!n}\nf 2", "(2 0\n 2 1)"],
    ["{:[x<2;1;x*_f x-1]}6", "720"],
    ["x:10;(x+5;x:20;x-5)", "25 20 5"],
    ["{x:5;x+x:3}[1]", "6"],
    ["{a:1;b:a+a:5;b}0", "10"],
  ])("%j", (script, expected) => expect(printed(script)).toBe(expected))
})

describe("projections and trains", () => {
  it.each([
    ["(1+)3", "4"],
    ["f:1+|:\nf 1 2", "3 2"],
    ["f:#,/\nf(1 2;3)", "3"],
    ["{x+y+z}[1;;3]2", "6"],
    ["f:{x+y+z}[;2]\nf[1;3]", "6"],
    ["+[;]", "+[;]"],
    ["{x+y}[1;]", "{x+y}[1;]"],
    ["{x}[1;2]", "valence error: it takes 1 argument; 2 are given\n{x}[1;2]\n^"],
    ["+/[1;]2 3", "6"],
    ["1+", "1+"],
  ])("%j", (script, expected) => expect(printed(script)).toBe(expected))
})

describe("limits", () => {
  it("an interrupt ends a loop and keeps the state", () => {
    let asked = 0
    const { k, enter } = makeConsole({}, { ...memoryHost(), interrupted: () => ++asked === 3 })
    expect(k.evaluate("i:0;while[1;i+:1]")?.name).toBe("break")
    expect(Number(enter("i"))).toBeGreaterThan(1000)
  })
  it.each(["while[1;x:1]", "{x}/'{x+1}/1", "{_f x}'!1000000", "f:{f x};f 1", "+/{x}'!10000000"])("%s ends", (script) => {
    expect(makeConsole({ steps: 1_000_000 }).k.evaluate(script)?.name).toMatch(/^(limit|stack)$/)
  })
  it("deep calls end in stack, and the next evaluation works", () => {
    const { enter, k } = makeConsole()
    expect(k.evaluate("f:{1+f x};f 1")?.name).toBe("stack")
    expect(enter("1+1")).toBe("2")
  })
  it("deep nesting of text is an error, not a crash", () => {
    const { k, enter } = makeConsole()
    expect(k.evaluate("(".repeat(100_000) + "1" + ")".repeat(100_000))?.name).toBe("stack")
    expect(enter("1+1")).toBe("2")
  })
  it("a trap does not hold a spent limit", () => {
    expect(makeConsole({ steps: 100_000 }).k.evaluate("@[{while[1;x]};1;:]")?.name).toBe("limit")
  })
})

describe("errors as values", () => {
  it.each([
    ["@[{x+`a};5;:]", '(1;"type")'],
    [".[{x+y};1 2;:]", "0 3"],
    ['@[{\'"boo"};1;:]', '(1;"boo")'],
    ['@[.:;"(1";:]', '(1;"parse")'],
    ["f:{1+f x};@[f;1;:]", '(1;"stack")'],
  ])("%s", (script, expected) => expect(printed(script)).toContain(expected))
})

describe("scripts", () => {
  it("joins lines while something is open", () => {
    const { enter, host } = makeConsole()
    host.stored.set("s.k", new TextEncoder().encode('a:1\n\n/ note\nf:{\n x}\n\\p 5\ns:"a\nb"\nf a'))
    expect(enter("\\l s.k")).toBe("1")
    expect(enter("s")).toBe('"a\\nb"')
  })
  it("loads with every line printed, and stops at the first error with its place", () => {
    const { enter, host } = makeConsole()
    host.stored.set("s.k", new TextEncoder().encode("a:1\na+1\n1+`x\n7\n"))
    expect(enter("\\l s.k")).toBe("2\ntype error: + takes numbers; these are an int and a symbol\n1+`x\n ^\nin s.k:3 < \\l s.k")
  })
})

it("the host's refusal of an array or string is told in words of K", () => {
  const host = {
    ...memoryHost(),
    unfilled: () => {
      throw new RangeError("Array buffer allocation failed")
    },
  }
  expect(makeConsole({}, host).enter("1000000#1")).toBe("wsfull error: there is no memory for a value of that size\n1000000#1\n       ^")
})

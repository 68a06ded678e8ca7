/**
 * An interrupt is heard inside every primitive: proved by counting, never by a clock. Each piece of work, before it is begun, pays for as many
 * items as it has: no piece may have more than STRIDE, and all of them together must have asked the host as often as so many items ask for.
 * What the JavaScript engine does in one go for work that was paid for, such as collecting garbage, is not held here.
 *
 * Most work pays more than it has to, and passes with a quarter of the items and a quarter of STRIDE; what does not is done with all.
 *
 * The same work over few items, repeated until as many went through, has to pay as much: else a loop of it would outrun the step limit.
 *
 * The work comes from the tables: every verb and function of one argument over each kind of operand that it takes; the atomic ones of two;
 * for the others of two arguments one statement at least, and what else goes through items.
 */
import { expect, it, vi } from "vitest"
import { systemNames } from "../../../src/k3/primitives/systemTable.ts"
import { verbs } from "../../../src/k3/primitives/table.ts"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { memoryHost } from "../../lib/memoryHost.ts"

const paid = vi.hoisted(() => ({ most: 0 }))
vi.mock("../../../src/k3/run/budget.ts", async (original) => {
  const budget = await original<typeof import("../../../src/k3/run/budget.ts")>()
  const tick = (n = 1): void => {
    paid.most = Math.max(paid.most, n)
    budget.tick(n)
  }
  return { ...budget, tick }
})

const ITEMS = 1 << 18

/** At the least one question for so many items: 50 ms for work of 400 ns an item. */
const STRIDE = 1 << 17

const setup = (items: number): string[] => [
  `n:${items}`,
  "x:!n",
  "r:(x*7919)!1000003",
  "f:0.5*r",
  "s:n#`a`b`c`d",
  'c:n#"hello world "',
  "l:(_ n%4)#(1 2;3 4)",
  'w:(_ n%4)#("a";"bc";"def")',
  "o:n#0 1",
  "b:`$c",
  'e:.+(`$"e",/:$x;x)',
  // A directory of many variables.
  "\\d e",
  "\\d ^",
  // Its items are made.
  "E:n#,!0",
  "E[0]:!0",
]

let asked = 0
let enough = Infinity
const host = { ...memoryHost(), interrupted: () => ++asked >= enough }
const interpreterWith = (items: number) => {
  const interpreter = makeInterpreter(host, { memory: 4 * 1024 ** 3 })
  for (const statement of setup(items)) expect(interpreter.evaluate(statement)).toBeUndefined()
  return interpreter
}
const quarter = { interpreter: interpreterWith(ITEMS / 4), stride: STRIDE / 4 }
const whole = { interpreter: interpreterWith(ITEMS), stride: STRIDE }

const work = [
  ...'x+1,x-x,x*f,x%3,x!7,x<r,x=r,f=f,c="l",-x,~x,_ f,|x,&x!2,<r,>r,<f,<s,<c,<l,>w,=r!9,=f!9,=s,?r!9,?f!9,?s,?l,r _in l,r _lin r'.split(
    ",",
  ),
  "x,x",
  "l,l",
  "n#1",
  "1 _ x",
  "r[x]",
  "s[x]",
  "l[;0]",
  "+l",
  "$s",
  "$l",
  "5:x",
  "5:f",
  "5:c",
  "5:s",
  "5:l",
  "5:w",
  "_bd x",
  "_bd c",
  "_db _bd c",
  "_bd l",
  "_bd w",
  "_bd s",
  '_ssr[c;"l";"zz"]',
  'c _ss "hello"',
  'c _ss "h[a-z]l"',
  "_ic c",
  "10 _vs r",
  "10 _sv (2;n)#1",
  "+/x",
  "+\\x",
  "|/f",
  "{x+y}/x",
  "{x+y}\\x",
  "{x}'x",
  "x-'x",
  "-':x",
  "x+/:!2",
  "+/'l",
  "#:'w",
  ",/l",
  "x _dv 5",
  "x _dvl !9",
  "l _dv 1 2",
  "n _draw 100",
  "n _draw 0",
  "_sin f",
  "_dj x",
  "x~0+x",
  "l~(#l)#(1 2;3 4)",
  "a:x;a[x]:r",
  "@[x;x;+;1]",
  "@[l;!#l;,;1]",
  "n{x+1}/0",
  "i:0;while[i<n;i+:1]",
  "a:();do[n;a,:1]",
  'd:.();i:0;while[i<n;i+:1;d[`$"k",$i!99]:i]',
  "&2*o",
  "n#x!3",
  "n#0.5",
  "(2,n)#x",
  "(2*!n%2)_ x",
  "5!x",
  "s!x",
  "x,f",
  "x?-1",
  "f?-1.5",
  "l?-1",
  "x=x",
  "l+1",
  "x _binl x",
  "s _lin `a`b",
  "`a`b _in/:s",
  "x _di 5",
  'c _dv "l"',
  "0$$x",
  "`$w",
  "0.0$$x",
  "10$x",
  "10.2$f",
  "x _dot x",
  "f _dot x",
  "h:n#0;h[r!9]+:1",
  "+/+(x;x)",
  ". 5:x",
  ". 5:f",
  ". 5:s",
  ". 5:l",
  '. ,/(_ n%4)#,"x;"',
  '. ,/(_ n%4)#,"{x};"',
  "x[<x]",
  "r@>r",
  "c[<c]",
  "f[<f]",
  "`t 1: l",
  "1:`t",
  '"u" 0: w',
  '0:"u"',
  '(,"I";,",") 0:"u"',
  '("SC";1 1) 0:"u"',
  '"z" 6:c',
  '(,"i";,4) 1:"z"',
  '("SCcb";1 1 1 1) 1:"z"',
  "x _div 3",
  "x _mul 2",
  "f _lsq (f;0.5*x)",
  'w _sm "b*"',
  '"*b" _sm c',
  "x _vs 2",
  '"v" 5: l',
  '"u" 6: c',
  "1 2 _dot (x;r)",
  "1 2.5 _dot (x;r)",
  "(1 2;3 4) _mul (x;r)",
  "+/1 2 3 4 5*5#,x",
  "+/1 2.0*(f;f)",
  "+/1 2*(f;f)",
  "+/5#,x",
  "-9999999$1",
  "-9999999$`a",
  "`a`b`c _in/: s",
  "x{x,y}'x",
  "x{x,y}\\:2",
  "l,:l",
  "~8#b",
  "e",
  "!`e",
  "@[_lsq[1 2];E;:]",
]

/** Verbs that read only the first item, the count or the type, or put their argument into a list. */
const immediate = new Set(["*", "^", ",", "#", "@", ":", "4:", "_exit", "_host", "_getenv", "_size"])
/** Vectors without columns, and values that stay as they are. */
const untouched = new Set([...["x", "r", "f", "s", "c", "o"].map((x) => `+${x}`), "!x", "!r", "!o", "$c"])

const generated = [...verbs, ...systemNames]
  .filter(({ glyph, valence }) => valence === 1 && !immediate.has(glyph))
  .flatMap(({ glyph }) => ["x", "r", "f", "s", "c", "l", "w", "o"].map((x) => (/^_|:$/.test(glyph) ? `${glyph} ${x}` : glyph + x)))
  .filter((statement) => !untouched.has(statement))

const dyads = [...verbs, ...systemNames].filter(({ valence }) => valence === 2)
const named = (glyph: string): boolean => /^_|:$/.test(glyph)
const atomic = dyads
  .filter((row) => row.class === "atomic")
  .flatMap(({ glyph }) => ["x", "f", "s", "c", "l", "w"].flatMap((x) => [`${x} ${glyph} ${x}`, `${x} ${glyph} 2`, `2 ${glyph} ${x}`]))
  .filter((statement) => !untouched.has(statement))

/** Verbs of two arguments that read no items, or use the host. */
const immediateDyads = new Set(["@", ":", "_sleep", "3:", "4:", "2:", "_setenv"])
const missing = dyads
  .map(({ glyph }) => glyph)
  .filter(
    (glyph) =>
      !immediateDyads.has(glyph) && ![...work, ...atomic].some((statement) => statement.includes(named(glyph) ? ` ${glyph}` : glyph)),
  )

const LEAST = ITEMS / STRIDE

/** How often it asked, and the most that one piece paid for; undefined when it ended in an error. */
const paidBy = ({ interpreter }: typeof whole, statement: string) => {
  asked = 0
  paid.most = 0
  enough = Infinity
  return interpreter.evaluate(`${statement};`) === undefined ? { asked, most: paid.most } : undefined
}

/** False when it ended in an error. */
const hears = (statement: string): boolean => {
  let size = quarter
  let found = paidBy(size, statement)
  // The first time the text is compiled, too, which may have asked once.
  if (found !== undefined && (found.asked <= LEAST || found.most > size.stride)) {
    size = whole
    found = paidBy(size, statement)
  }
  if (found === undefined) return false
  expect(found.asked).toBeGreaterThanOrEqual(LEAST)
  expect(found.most).toBeLessThanOrEqual(size.stride)
  enough = LEAST
  asked = 0
  expect(size.interpreter.evaluate(`${statement};`)?.name).toBe("break")
  return true
}

it("payments are counted", () => expect(paidBy(quarter, "r:x+1")?.most).toBeGreaterThan(0))

it.each([...generated, ...atomic])("%s, if it takes that", (statement) => void hears(statement))

it("each verb of two arguments is among the work", () => expect(missing, "`work` needs a statement of each of these").toEqual([]))

it.each(work)("%s", (statement) => {
  expect(hears(statement)).toBe(true)
})

const FEW = 1 << 12
const repeated = interpreterWith(FEW)

/** Statements that change a variable they read do more each time, and those that read or write files have the items of the files. */
const again = work.filter((statement) => !/^\w,:|^".*[0156]:|^`t|(?:^|[ )])[01]:["`]/.test(statement))

/** How often it asks when it is done over and over, until as many items went through. */
const askedFor = (items: number, statement: string): number => {
  asked = 0
  expect(repeated.evaluate(`do[${items / FEW};${statement}]`)).toBeUndefined()
  return asked
}

it.each([...generated.filter((statement) => /[cl]$/.test(statement)), ...again])("%s of few items, again and again", (statement) => {
  enough = Infinity
  if (repeated.evaluate(`${statement};`) !== undefined) return
  if (askedFor(ITEMS / 4, statement) < LEAST) expect(askedFor(ITEMS, statement)).toBeGreaterThanOrEqual(LEAST)
})

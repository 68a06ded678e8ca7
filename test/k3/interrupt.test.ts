/**
 * An interrupt is heard inside every primitive: proved by counting how often the host is asked, never by a clock. Work that is not cut into
 * pieces asks once or not at all. Counts are averages: the longest stretch between two questions is not held here.
 *
 * The work is every verb and function of one argument in the tables over each kind of operand that it takes, and what else goes through items.
 */
import { expect, it } from "vitest"
import { systemNames } from "../../src/k3/primitives/systemTable.ts"
import { verbs } from "../../src/k3/primitives/table.ts"
import { makeInterpreter } from "../../src/k3/k3.ts"
import { memoryHost } from "../lib/memoryHost.ts"

const ITEMS = 1 << 18

/** At the least one question for so many items: 50 ms for work of 400 ns an item. */
const STRIDE = 1 << 17

const setup = [
  `n:${ITEMS}`,
  "x:!n",
  "r:(x*7919)!1000003",
  "f:0.5*r",
  "s:n#`a`b`c`d",
  'c:n#"hello world "',
  "l:(_ n%4)#(1 2;3 4)",
  'w:(_ n%4)#("a";"bc";"def")',
  "o:n#0 1",
]

let asked = 0
let enough = Infinity
const host = { ...memoryHost(), interrupted: () => ++asked >= enough }
const interpreter = makeInterpreter(host, { memory: 4 * 1024 ** 3 })
for (const statement of setup) expect(interpreter.evaluate(statement)).toBeUndefined()

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
  "`t 1: l",
  "1:`t",
  '"u" 0: w',
  '0:"u"',
]

/** What looks at the first item, the count or the type alone, or puts its argument into a list. */
const immediate = new Set(["*", "^", ",", "#", "@", ":", "4:", "_exit", "_host", "_getenv", "_size"])
/** Vectors that have no columns, and a list's items turned round at once by the host, as it also cuts and repeats a list. */
const whole = new Set([...["x", "r", "f", "s", "c", "o"].map((x) => `+${x}`), "|l", "|w", "!x", "!r", "!o", "_bd c", "$c"])

const generated = [...verbs, ...systemNames]
  .filter(({ glyph, valence }) => valence === 1 && !immediate.has(glyph))
  .flatMap(({ glyph }) => ["x", "r", "f", "s", "c", "l", "w", "o"].map((x) => (/^_|:$/.test(glyph) ? `${glyph} ${x}` : glyph + x)))
  .filter((statement) => !whole.has(statement))

/** False when it ended in an error. */
const hears = (statement: string): boolean => {
  asked = 0
  enough = Infinity
  if (interpreter.evaluate(`${statement};`) !== undefined) return false
  const least = ITEMS / STRIDE
  expect(asked).toBeGreaterThanOrEqual(least)
  enough = least
  asked = 0
  expect(interpreter.evaluate(`${statement};`)?.name).toBe("break")
  return true
}

it.each(generated)("%s, if it takes that", (statement) => void hears(statement))

it.each(work)("%s", (statement) => {
  expect(hears(statement)).toBe(true)
})

/**
 * An interrupt is heard inside every primitive: proved by counting how often the host is asked, never by a clock. Work that is not cut into
 * pieces asks once or not at all. Counts are averages: the longest stretch between two questions is not held here.
 */
import { expect, it } from "vitest"
import { makeInterpreter } from "../../src/k3/k3.ts"
import { memoryHost } from "../lib/memoryHost.ts"

const ITEMS = 1 << 20

/** At the least one question for so many items: 50 ms for work of 200 ns an item. */
const STRIDE = 1 << 18

const setup = [
  `n:${ITEMS}`,
  "x:!n",
  "r:(x*7919)!1000003",
  "f:0.5*r",
  "s:n#`a`b`c`d",
  'c:n#"hello world "',
  "l:n#(1 2;3 4)",
  'w:n#("a";"bc";"def")',
]

let asked = 0
let enough = Infinity
const host = { ...memoryHost(), interrupted: () => ++asked >= enough }
const interpreter = makeInterpreter(host, { memory: 4 * 1024 ** 3 })
for (const statement of setup) expect(interpreter.evaluate(statement)).toBeUndefined()

const work = [
  ...'x+1,x-x,x*f,x%3,x!7,x<r,x=r,f=f,c="l",-x,~x,_ f,|x,|l,&x!2,<r,>r,<f,<s,<c,<l,>w,=r!9,=f!9,=s,?r!9,?f!9,?s,?l,r _in l,r _lin r'.split(
    ",",
  ),
  "x,x",
  "l,l",
  "n#1",
  "n#l",
  "1 _ x",
  "1 _ l",
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
  "l~n#(1 2;3 4)",
  "a:x;a[x]:r",
  "@[x;x;+;1]",
  "@[l;x;,;1]",
  "n{x+1}/0",
  "i:0;while[i<n;i+:1]",
  "a:();do[n;a,:1]",
  'd:.();i:0;while[i<n;i+:1;d[`$"k",$i!99]:i]',
]

/**
 * Asked at least once for so many items, and not in pieces: what they cost an item has not been measured. An amend in place hears the
 * interrupt before the first item is written, so that a variable is never left half changed.
 */
const copies = new Set(["|x", "|l", "x,x", "l,l", "n#1", "n#l", "1 _ x", "1 _ l", ",/l", "l~n#(1 2;3 4)", "a:x;a[x]:r"])

it.each(work)("%s", (statement) => {
  asked = 0
  enough = Infinity
  expect(interpreter.evaluate(`${statement};`)).toBeUndefined()
  const least = copies.has(statement) ? 1 : ITEMS / STRIDE
  expect(asked).toBeGreaterThanOrEqual(least)
  enough = least
  asked = 0
  expect(interpreter.evaluate(`${statement};`)?.name).toBe("break")
})

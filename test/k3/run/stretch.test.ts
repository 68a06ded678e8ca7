/**
 * The longest stretch of work between two looks at the budget, for every verb over operands of every type: the engine counts how often each
 * piece of the interpreter's code runs, and no piece may run much more often than steps are paid.
 *
 * Does not: see what the engine does in one go, such as copying; `interrupt.test.ts` holds what is paid for that.
 */
import { Session, type Profiler } from "node:inspector"
import { afterAll, expect, it } from "vitest"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { systemNames } from "../../../src/k3/primitives/systemTable.ts"
import { verbs } from "../../../src/k3/primitives/table.ts"
import { memoryHost } from "../../lib/memoryHost.ts"

/** Steps between two questions to the host, and the work allowed for one step. */
const SLICE = 16384
const RUNS = 7
/** More than a stretch may take. */
const ITEMS = 1 << 17
/** Of work that goes on, the first questions are enough. */
const ENOUGH = 3

const session = new Session()
session.connect()
const post = (method: string, parameters?: object): unknown => {
  let answer: unknown
  session.post(method, parameters, (error, result) => {
    if (error !== null) throw error
    answer = result
  })
  return answer
}
post("Profiler.enable")
post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
afterAll(() => session.disconnect())

/** How often the busiest piece ran since this was last asked, and whose it is. */
const busiest = (): { count: number; where: string } => {
  const { result } = post("Profiler.takePreciseCoverage") as Profiler.TakePreciseCoverageReturnType
  const most = { count: 0, where: "" }
  for (const { url, functions } of result)
    if (url === "" || url.includes("/src/k3/"))
      for (const { functionName, ranges } of functions)
        for (const { count } of ranges)
          if (count > most.count) {
            most.count = count
            most.where = `${functionName} of ${url.slice(url.lastIndexOf("/") + 1)}`
          }
  return most
}

let most = busiest()
const look = (): void => {
  const found = busiest()
  if (found.count > most.count) most = found
}
let asked = 0
const host = {
  ...memoryHost(),
  interrupted: () => {
    look()
    return ++asked >= ENOUGH
  },
}
const interpreter = makeInterpreter(host, { memory: 4 * 1024 ** 3 })
const large = {
  x: `!${ITEMS}`,
  f: "0.5*(7919*x)!1000003",
  s: "(#x)#`a`b`c`d",
  c: '(#x)#"hello world "',
  l: "(_ (#x)%4)#(1 2;3 4)",
  w: '(_ (#x)%4)#("a";"bc";"def")',
}
for (const [name, value] of Object.entries(large)) {
  asked = -Infinity
  interpreter.evaluate(`${name}:${value}`)
}

const small = ["2", '"l"', "`a", "1 2"]
/** These end the process, or reach the world without looking at items. */
const outside = new Set(["_exit", "_host", "2:", "3:", "4:"])
const rows = [...verbs, ...systemNames].filter(({ valence, glyph }) => (valence === 1 || valence === 2) && !outside.has(glyph))
const names = Object.keys(large)
const statements = (glyph: string, valence: number): readonly string[] => {
  const verb = /^_|\d:$/.test(glyph) ? ` ${glyph} ` : glyph
  if (valence === 1) return names.map((x) => `${verb}${x}`)
  const out: string[] = []
  for (const x of names) {
    out.push(`${x} ${verb} ${x}`)
    for (const y of small) out.push(`${x} ${verb} ${y}`, `${y} ${verb} ${x}`)
  }
  return out
}

it.each(rows.map(({ glyph, valence, name }) => [glyph, name, valence] as const))("%s, %s, listens", (glyph, _, valence) => {
  for (const statement of statements(glyph, valence)) {
    interpreter.evaluate("0;")
    busiest()
    most = { count: 0, where: "" }
    asked = 0
    interpreter.evaluate(`${statement};`)
    look()
    expect(most.count <= RUNS * SLICE ? "" : `${statement}: ${most.where} runs ${most.count} times`).toBe("")
  }
})

/** Runs programs of `sharingPrograms.ts` in three ways that must print the same: as usual, without ownership, and with all variables copied. */
import { TreeEvaluator } from "../../src/k3/interpreter/TreeEvaluator.ts"
import { Interpreter } from "../../src/k3/interpreter/Interpreter.ts"
import { begin } from "../../src/k3/run/budget.ts"
import { KError } from "../../src/k3/run/KError.ts"
import type { VariableToRestore } from "../../src/k3/tree/TreeCaptures.ts"
import type { Directory } from "../../src/k3/tree/Directory.ts"
import { EXACT, written } from "../../src/k3/values/format.ts"
import { withoutOwnership } from "../../src/k3/values/ownership.ts"
import { Chars, Dict, Floats, Ints, isAtom, List, Symbols, type Value } from "../../src/k3/values/value.ts"
import { memoryHost } from "./memoryHost.ts"

/** A deep copy of a value; functions are shared, since nothing changes them. */
const deepCopy = (x: Value): Value => {
  if (x instanceof Dict) return new Dict(x.keys.slice(), x.values.map(deepCopy), x.attributes.map(deepCopy))
  if (isAtom(x)) return x
  switch (x.t) {
    case -1:
      return new Ints(x.v.slice())
    case -2:
      return new Floats(x.v.slice())
    case -3:
      return new Chars(x.v.slice())
    case -4:
      return new Symbols(x.v.slice())
    default:
      return new List(x.v.map(deepCopy))
  }
}

/** Copies all variables, without running triggers or computing dependencies. */
const copyVariables = ({ cells, children }: Directory): void => {
  for (const cell of cells.values()) {
    if (cell.value !== undefined) cell.assign(deepCopy(cell.value))
    const { watch } = cell
    if (watch?.attributes !== undefined) watch.attributes = deepCopy(watch.attributes) as Dict
  }
  children.forEach(copyVariables)
}

/** All variables as text, read without computing dependencies. */
const shown = ({ cells, children }: Directory): string =>
  [...cells.values()]
    .map(({ path, value, watch }) =>
      value === undefined && watch?.attributes === undefined
        ? ""
        : `${path}: ${value === undefined ? "" : written(value, EXACT)} ${watch?.attributes === undefined ? "" : written(watch.attributes, EXACT)}\n`,
    )
    .join("") + [...children.values()].map(shown).join("")

const DEPTH = 40
const STEPS = 100_000
const UNLIMITED = { interrupted: () => false, memory: Infinity, room: () => true, steps: Infinity }
const ALL = { value: 1e9, total: 1e9, soon: 1e9 }
const VIEW = { path: ".k", depth: 3, skip: 0, most: 100 }

/** For each statement its output, and all variables after it. */
const run = (program: readonly string[], after: (root: Directory) => void): readonly string[] => {
  const host = memoryHost()
  const evaluator = new TreeEvaluator(host, DEPTH)
  const k = new Interpreter(evaluator, { steps: STEPS })
  const captured = new Map<string, VariableToRestore>()
  let serial = 0
  const capture = (): string => {
    const { changed, removed, anew, serial: now } = k.capture(serial, ALL)
    serial = now
    if (anew) captured.clear()
    for (const path of removed) captured.delete(path)
    for (const each of changed) captured.set(each.path, each)
    return JSON.stringify([...captured.values()].map(({ path, image, attributes }) => [path, image?.join(), attributes?.join()]))
  }
  const deeds = new Map<string, () => unknown>([
    [":mark", () => k.mark()],
    [":back", () => k.back()],
    [":capture", capture],
    [":restore", () => k.restore([...captured.values()], { precision: 7, seed: 1, directory: ".k", folder: "/" })],
    [":look", () => k.look(VIEW)],
    [":names", () => k.names(".k")],
  ])
  const answer = (statement: string): string => {
    const deed = deeds.get(statement)
    if (deed === undefined) return k.evaluate(statement)?.rendered ?? ""
    try {
      return JSON.stringify(deed())
    } catch (thrown) {
      return thrown instanceof KError ? thrown.kname : String(thrown)
    }
  }
  return program.map((statement) => {
    const answered = answer(statement)
    begin(UNLIMITED)
    const print = `${host.take()}${answered}\n${shown(evaluator.tree.root)}`
    after(evaluator.tree.root)
    return print
  })
}

const ways = new Map<string, (program: readonly string[]) => readonly string[]>([
  ["without ownership", (program) => withoutOwnership(() => run(program, () => undefined))],
  ["with every variable copied after each statement", (program) => run(program, copyVariables)],
])

/** The first difference between the ways, as text; `undefined` when all print the same. */
export const disagreement = (program: readonly string[]): string | undefined => {
  const plain = run(program, () => undefined)
  for (const [name, way] of ways) {
    const other = way(program)
    const i = plain.findIndex((print, j) => print !== other[j])
    if (i >= 0) return `after ${program[i]}\n--- as it is\n${plain[i]}--- ${name}\n${other[i]}`
  }
  return undefined
}

/** The program without statements that are not needed for the difference. */
export const shrunk = (program: readonly string[]): readonly string[] => {
  for (let size = program.length >> 1; size > 0; size >>= 1)
    for (let i = program.length - size; i >= 0; i--) {
      const fewer = program.toSpliced(i, size)
      if (disagreement(fewer) !== undefined) return shrunk(fewer)
    }
  return program
}

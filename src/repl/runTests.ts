/**
 * `k3 --test`: runs files of cases and reports the cases whose output differs.
 *
 * Guarantees: each case has a workspace of its own; every step of a case runs, also after a step that differs; a file that cannot be read, or is no
 * file of cases, is reported, and the other files run. Does not: limit the time of a case; the interpreter's host does.
 */
import { fromBytes, type Interpreter, toBytes } from "../k3/k3.ts"
import { type Case, isExpected, readCases, type CaseStep } from "./cases.ts"
import { statements } from "../k3/text/statements.ts"
import { systemText } from "./fencedFiles.ts"
import { unforgeable } from "./frame.ts"
import { readText } from "./readText.ts"

/** An interpreter with an empty workspace; `take` returns its output since the last `take`. */
export interface Bench {
  readonly interpreter: Interpreter
  readonly take: () => string
}

export interface Tester {
  readonly fresh: () => Bench
  readonly say: (text: string) => void
  readonly complain: (text: string) => void
}

/** Text after text without a newline begins a new line, as in a reply of the server. */
const below = (printed: string, next: string): string =>
  printed === "" || next === "" || printed.endsWith("\n") ? printed + next : `${printed}\n${next}`

const runStep = ({ interpreter, take }: Bench, { code }: CaseStep): string => {
  let printed = ""
  for (const { source } of statements(toBytes(code))) {
    const failure = interpreter.evaluate(source)
    printed = below(printed, take())
    if (failure !== undefined) printed = below(printed, failure.rendered)
  }
  return fromBytes(printed)
}

const indent = (text: string): string => (text === "" ? "  (nothing)" : text.replace(/\n$/, "").replaceAll(/^(?=.)/gm, "  "))

const differing = (bench: Bench, { steps, compare }: Case): readonly string[] =>
  steps.flatMap((step) => {
    const printed = runStep(bench, step)
    // The expected output may come from a reply, whose bytes are escaped.
    if ([printed, unforgeable(printed)].some((each) => isExpected(each, step.expected, compare))) return []
    return `> ${step.code.replaceAll("\n", "\n> ")}\nexpected\n${indent(step.expected)}\ngot\n${indent(printed)}\n`
  })

/** The cases of a file, or the reason why there are none. */
const casesIn = (path: string): readonly Case[] | string => {
  try {
    const cases = readCases(readText(path, "utf8"))
    return "problem" in cases ? `${path}:${cases.line}: ${cases.problem}` : cases
  } catch (error) {
    return `${path}: ${systemText(error)}`
  }
}

/** Returns the exit code: 0 when all cases passed, 1 when one failed, 2 when a file could not be used. */
export const runTests = (paths: readonly string[], { fresh, say, complain }: Tester): number => {
  let [passed, failed] = [0, 0]
  let unreadable = false
  for (const path of paths) {
    const cases = casesIn(path)
    if (typeof cases === "string") {
      complain(`k3: ${cases}\n`)
      unreadable = true
      continue
    }
    for (const each of cases) {
      const wrong = differing(fresh(), each)
      if (wrong.length === 0) passed++
      else {
        failed++
        say(`${path}:${each.line}: ${each.name}\n${wrong.join("")}\n`)
      }
    }
  }
  say(`${passed} passed, ${failed} failed\n`)
  return unreadable ? 2 : failed > 0 ? 1 : 0
}

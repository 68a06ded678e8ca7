/**
 * Checks K code without running it: finds syntax errors, names without a value, and usual mistakes of newcomers, each with its place.
 *
 * Guarantees: never throws; gives at most `MOST` issues of bounded length, in the order of the text; work is bounded. When there are more, no
 * error is left out for another issue, and an issue says so at the first of those left out. Code that runs without a syntax error has no issue of
 * severity `error`. Does not: evaluate, or know names that are made at run time.
 */
import { pointed } from "../text/caret.ts"
import { commandWords } from "../run/commands.ts"
import { placeOf } from "../text/place.ts"
import { isCommand, type Statement, statements } from "../text/statements.ts"
import type { Finding, Severity } from "./validation/Finding.ts"
import { gluedTokens, query } from "./validation/glued.ts"
import { type Held, Names } from "./validation/names.ts"
import { readStatement } from "./validation/syntax.ts"
import { treeText } from "./tree.ts"
import { traps } from "./validation/traps.ts"

export type { Held } from "./validation/names.ts"
export type { Severity } from "./validation/Finding.ts"

/** Lines and columns count from 1 in the whole code. */
export interface Issue {
  readonly severity: Severity
  /** A stable name for programs. */
  readonly code: string
  readonly message: string
  readonly line: number
  readonly column: number
  /** The source line, shortened around the column, and the caret line below it. */
  readonly source: string
  readonly caret: string
  /** The place where the bracket or brace in question was opened. */
  readonly opened?: { readonly line: number; readonly column: number }
  /** The code to write instead. */
  readonly instead?: string
}

/** Issues that are reported at most. */
export const MOST = 20
/** Characters of a message, and of code to write instead: both quote names, and a name may be as long as the code. */
const LONGEST = 400
/** Times that reading continues after a bracket left open. */
const MOST_RESUMED = 16

/** A line that begins a statement even inside an open bracket: an assignment or a command in its first column. */
const BEGINNING = /^(?:\\|\.?[A-Za-z][\w.]*(?:\[[^\]\n]{0,80}\])?[-+*%|&^!<>=~@?_,#$.]?:)/

type Lines = Pick<Statement, "source" | "line">

/** As `statements`, but after a bracket that is never closed it continues at the next line that matches `BEGINNING`. */
const allStatements = (code: string): readonly Lines[] => {
  const found: Lines[] = []
  let text = code
  let before = 0
  for (let resumed = 0; ; resumed++) {
    const list = statements(text).map(({ source, line, open }) => ({ source, line: before + line, open }))
    const last = list.at(-1)
    const lines = last?.open === undefined || resumed === MOST_RESUMED ? [] : last.source.split("\n")
    const next = lines.findIndex((line, i) => i > 0 && BEGINNING.test(line))
    for (const each of next < 0 ? list : list.slice(0, -1)) found.push(each)
    if (next < 0) return found
    found.push({ source: lines.slice(0, next).join("\n"), line: last!.line })
    text = lines.slice(next).join("\n")
    before = last!.line - 1 + next
  }
}

const commandFindings = (source: string): readonly Finding[] => {
  const word = /^\s*\\(\\|[A-Za-z]+|\d)?/.exec(source)![1]
  const start = source.indexOf("\\")
  const span = { start, end: start + 1 + (word?.length ?? 0) }
  if (word === "\\") {
    const message = "this ends the interpreter; k_eval refuses it"
    return [{ severity: "warning", code: "leaves", message, span, instead: "k_reset for a clean session" }]
  }
  if (word === undefined || word === "help" || /^\d$/.test(word) || commandWords.includes(word)) return []
  const message = `\\${word} is no command of K: it goes to the shell, which is refused unless K3_SHELL is allow`
  return [{ severity: "warning", code: "shell-command", message, span }]
}

const issueOf = ({ source, line }: Lines, finding: Finding): Issue => {
  const { severity, code, message, span, opened, instead } = finding
  const place = placeOf(source, Math.min(span.start, source.length))
  const opener = opened === undefined ? undefined : placeOf(source, opened)
  return {
    severity,
    code,
    message: message.length > LONGEST ? `${message.slice(0, LONGEST)}…` : message,
    line: line + place.line - 1,
    column: place.column,
    ...pointed(place.text, place.column),
    ...(opener !== undefined && { opened: { line: line + opener.line - 1, column: opener.column } }),
    ...(instead !== undefined && instead.length <= LONGEST && { instead }),
  }
}

type Reading = ReturnType<typeof readStatement>

/** The findings of a statement, which `names` takes into account. A command has no reading. */
const findingsOf = (source: string, reading: Reading | undefined, names: Names): readonly Finding[] => {
  if (reading === undefined) {
    names.command(source)
    return commandFindings(source)
  }
  const { findings, parsed } = reading
  if (findings.length > 0) names.assume(source)
  if (parsed === undefined) return findings
  const unknown = names.check(parsed)
  const sql = query(parsed, names)
  return [
    ...findings,
    ...(sql === undefined ? withoutDoubles([...traps(parsed, names), ...gluedTokens(parsed, names), ...unknown]) : [sql]),
  ]
}

/** Statements in one step of `validating` or `reading`. */
const STEP = 10

/** The issues of code, in its order. `held`: the variables of the session that is to run it. */
export const validate = (code: string, held: Held): readonly Issue[] => {
  const steps = validating(code, held)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** `validate` in steps; other work may run between two. */
export function* validating(code: string, held: Held): Generator<undefined, readonly Issue[]> {
  const list = allStatements(code)
  const readings: (Reading | undefined)[] = []
  for (const { source } of list) {
    readings.push(isCommand(source) ? undefined : readStatement(source))
    if (readings.length % STEP === 0) yield
  }
  const read = list.map(({ source }, i) => (readings[i] === undefined ? source : readings[i].parsed)).filter((each) => each !== undefined)
  const names = new Names(held, read)
  const errors: Issue[] = []
  const others: Issue[] = []
  for (const [i, statement] of list.entries()) {
    for (const finding of findingsOf(statement.source, readings[i], names).toSorted((a, b) => a.span.start - b.span.start)) {
      const kind = finding.severity === "error" ? errors : others
      if (kind.length <= MOST) kind.push(issueOf(statement, finding))
    }
    if (errors.length > MOST) break
    if (i % STEP === STEP - 1) yield
  }
  return bounded(errors, others)
}

const inOrder = (issues: readonly Issue[]): readonly Issue[] => issues.toSorted((a, b) => a.line - b.line || a.column - b.column)

/** The issues, `MOST` at most. When some are left out, an issue says so at the first of them. */
const bounded = (errors: readonly Issue[], others: readonly Issue[]): readonly Issue[] => {
  const [left] = inOrder([...errors, ...others].slice(MOST - 1))
  if (left === undefined || errors.length + others.length <= MOST) return inOrder([...errors, ...others])
  const { line, column, source, caret } = left
  const message = `only ${MOST - 1} issues are shown, errors first; here is the next one`
  return inOrder([
    ...[...errors, ...others].slice(0, MOST - 1),
    { severity: "hint", code: "more-issues", message, line, column, source, caret },
  ])
}

/** Statements whose tree is shown. */
const mostTrees = 50

interface StatementTree {
  /** The statement's first line, from 1. */
  readonly line: number
  /** The text of `treeText`; absent for a command, and for a statement with syntax errors. */
  readonly tree?: string
}

export interface StatementTrees {
  readonly trees: readonly StatementTree[]
  /** Are there more statements? */
  readonly isCut: boolean
}

/** The trees of the first statements, in steps; other work may run between two. */
export function* reading(code: string): Generator<undefined, StatementTrees> {
  const all = allStatements(code)
  const trees: StatementTree[] = []
  for (const { source, line } of all.slice(0, mostTrees)) {
    const { parsed, findings } = isCommand(source) ? { parsed: undefined, findings: [] } : readStatement(source)
    trees.push({ line, ...(parsed !== undefined && findings.length === 0 && { tree: treeText(parsed.tree) }) })
    if (trees.length % STEP === 0) yield
  }
  return { trees, isCut: all.length > mostTrees }
}

/** Drops the later of two findings at one place: the first says more. */
const withoutDoubles = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter((each, i) => findings.findIndex(({ span }) => span.start === each.span.start) === i)

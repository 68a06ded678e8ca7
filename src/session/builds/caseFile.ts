/** Reads a file of cases that a tool call names. Guarantees: the file lies in the roots (`RootFiles.ts`) and has at most `mostBytes` bytes. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { type OutputComparison, readCases } from "../../repl/cases.ts"
import { RootFiles } from "../RootFiles.ts"

/** Code to run, and the expected printed text when there is one. */
export interface RunItem {
  readonly name: string
  readonly code: string
  readonly expected?: string
  readonly how: OutputComparison
  /** The item begins with the initial state; otherwise with the state that the item before it left. */
  readonly fresh: boolean
  /** Continue with the next statement after an error of K, as a console does. */
  readonly goOn: boolean
}

export class BadCaseFile extends Data.TaggedError("BadCaseFile")<{
  readonly file: string
  /** The problem in words. */
  readonly reason: string
}> {}

/** Bytes of a file that a call names. */
export const mostBytes = 16 * 1024 ** 2

/** Code that a call gives, as an item. */
export const itemOf = (code: string, goOn: boolean): RunItem => ({ name: "", code, how: "exact", fresh: false, goOn })

/** The items of a file; a relative name is below the working folder. */
export const itemsOf = Effect.fnUntraced(function* (file: string) {
  const files = yield* RootFiles
  const bad = (reason: string) => new BadCaseFile({ file, reason })
  const text = yield* Effect.mapError(files.read(file, mostBytes), ({ detail }) => bad(detail))
  const cases = readCases(text)
  if ("problem" in cases) return yield* bad(`line ${cases.line}: ${cases.problem}`)
  return cases.flatMap(({ name, steps, compare }) =>
    steps.map(({ code, expected }, i): RunItem => ({ name, code, expected, how: compare, fresh: i === 0, goOn: true })),
  )
})

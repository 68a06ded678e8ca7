/**
 * The interpreter, for all code outside `src/k3`. The language has two other entrances: `documents.ts` has its rows and its checks, and is loaded
 * late by `loadDocuments.ts`; `text/scan.ts` and `text/statements.ts` cut K text, and are loaded early.
 *
 * Guarantees: `makeInterpreter(host)` gives an interpreter with an empty K tree. Its `evaluate` runs one statement (which may span lines while a
 * bracket is open) or one `\command`, writes the console's output to `host.write`, and never throws: an error of K is returned as data. All strings
 * at this boundary are byte strings, one character for each byte (0 to 255); `toBytes` and `fromBytes` make them of text, and text of them.
 *
 * Files to read: values `values/value.ts`, changes in place `values/ownership.ts`, limits `run/budget.ts`. `text/scan.ts` matches brackets and finds
 * the ends of strings and comments. Text becomes statements in `text/statements.ts`, a tree in `syntax/parser.ts`, JavaScript in
 * `compile/compile.ts`. Functions are applied by `values/function.ts`, `run/apply.ts`, `run/adverbs.ts`; values are changed by `run/amend.ts`,
 * `run/append.ts`; globals are in `tree/tree.ts`, `tree/Variables.ts`; values and errors are displayed by `values/format.ts`, `run/render.ts`. All
 * facts about a verb are in its rows in `primitives/table.ts` or `primitives/systemTable.ts`. `interpreter/TreeEvaluator.ts` puts the parts together.
 */
import type { Host, Limits } from "./Host.ts"
import { TreeEvaluator } from "./interpreter/TreeEvaluator.ts"
import { Interpreter } from "./interpreter/Interpreter.ts"

export type { Failure } from "./Failure.ts"
export type { Host, FilePiece } from "./Host.ts"
export type { Allowance, Imaged, Interpreter } from "./interpreter/Interpreter.ts"
export { systemWords } from "./primitives/systemTable.ts"
export { type FileKind, KError } from "./run/KError.ts"
export type { CaptureLimits, Changes, VariableToRestore, CapturedVariable } from "./tree/TreeCaptures.ts"
export { fromBytes, toBytes } from "./text/utf8.ts"
export type { TreeSettings } from "./tree/treeSettings.ts"
export type { LookRequest } from "./tree/look.ts"

/** An interpreter with an empty K tree. */
export const makeInterpreter = (host: Host, limits: Limits = {}): Interpreter =>
  new Interpreter(new TreeEvaluator(host, limits.depth), limits)

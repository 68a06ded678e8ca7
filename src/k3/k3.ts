/**
 * The interpreter for everyone outside `src/k3`. The language has two other entrances: `documents.ts`, its rows and its checks, which
 * `loadDocuments.ts` loads late; and `text/scan.ts` with `text/statements.ts`, which cut K text and are loaded early.
 *
 * Guarantees: `makeInterpreter(host)` gives an interpreter with an empty K tree. Its `evaluate` runs one statement (which may span lines
 * while a bracket is open) or one `\command`, writes to `host.write` what the console would print, and never throws: an error of K is
 * returned as data. All strings that cross are byte strings, one character for each byte (0 to 255).
 *
 * To read all of it: values are `values/value.ts`, the rule of who may change one in place `values/ownership.ts`, limits `run/budget.ts`.
 * `text/scan.ts` matches brackets and finds the ends of strings and comments. Text becomes statements in `text/statements.ts`, a tree in
 * `syntax/parser.ts`, JavaScript in `compile/compile.ts`. Applying is `values/function.ts` and its kinds, `run/apply.ts`, `run/adverbs.ts`;
 * changing is `run/amend.ts`, `run/append.ts`; globals are `tree/tree.ts`, `tree/Variables.ts`; showing is `values/format.ts`, `run/render.ts`.
 * Everything true of a verb is in its rows, in `primitives/table.ts` or `primitives/systemTable.ts`. `interpreter/Evaluator.ts` puts all of
 * it together.
 */
import type { Host, Limits } from "./Host.ts"
import { Evaluator } from "./interpreter/Evaluator.ts"
import { Interpreter } from "./interpreter/Interpreter.ts"
import { systemNames as rows } from "./primitives/systemTable.ts"

export type { Failure } from "./Failure.ts"
export type { Host, Piece } from "./Host.ts"
export type { Allowance, Imaged, Interpreter } from "./interpreter/Interpreter.ts"
export { type FileKind, KError } from "./run/KError.ts"
export type { CaptureLimits, Changes, Given, Variable } from "./tree/Captures.ts"
export type { Workspace } from "./tree/workspace.ts"
export type { View } from "./tree/look.ts"

/** An interpreter with an empty K tree. */
export const makeInterpreter = (host: Host, limits: Limits = {}): Interpreter => new Interpreter(new Evaluator(host, limits.depth), limits)

/** The system names that begin with `_`, for completion. */
export const systemNames: readonly string[] = [...new Set(rows.map((row) => row.glyph).filter((glyph) => glyph.startsWith("_")))]

/**
 * The boundary of the language: everything outside `src/k3` uses this module alone.
 *
 * `makeInterpreter(host)` gives an interpreter with an empty K tree. `evaluate` runs one statement (which may span lines while a
 * bracket is open) or one `\command`, writes what the console would print to `host.write`, and never throws: an error of K is
 * returned as data. All strings that cross are byte strings (one character per byte, 0 to 255).
 *
 * To read it all: values are `value.ts`, what they may cost `budget.ts`, what is under way `roots.ts`. Text becomes a tree in
 * `statements.ts`, `lexer.ts`, `ast.ts`, `parser.ts`, the tree JavaScript in `compile.ts`, which tells of the files below it. Applying is `function.ts`, `apply.ts`,
 * `adverbs.ts`; changing `amend.ts`, `append.ts`; globals `tree.ts`, `Variables.ts`; showing `format.ts`, `render.ts`. What a verb does
 * stands behind its row in `primitives/table.ts` or `primitives/systemTable.ts`, and `interpreter/Evaluator.ts` puts all of it together.
 */

import type { Host, Limits } from "./Host.ts"
import { Evaluator } from "./interpreter/Evaluator.ts"
import { Interpreter } from "./interpreter/Interpreter.ts"
import { systemNames as rows } from "./primitives/systemTable.ts"

export type { Failure } from "./Failure.ts"
export type { Host, Limits, Piece } from "./Host.ts"
export type { Interpreter } from "./interpreter/Interpreter.ts"
export type { CaptureLimits, Workspace } from "./tree/Captures.ts"
export type { View } from "./tree/look.ts"

/** An interpreter with an empty K tree. */
export const makeInterpreter = (host: Host, limits: Limits = {}): Interpreter => new Interpreter(new Evaluator(host, limits.depth), limits)

/** The system names that begin with `_`, for completion. */
export const systemNames: readonly string[] = [...new Set(rows.map((row) => row.glyph).filter((glyph) => glyph.startsWith("_")))]

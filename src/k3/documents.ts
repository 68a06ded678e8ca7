/**
 * The language without an interpreter: the rows of its verbs and system names, and the checks of a text. Help and the server load it late, in pieces
 * (`loadDocuments.ts`). Does not: evaluate; `k3.ts` does.
 */
import type { SystemRow, VerbRow } from "./primitives/Row.ts"

export { type Issue, reading, type StatementTrees, validate, validating } from "./syntax/validate.ts"
export { entered } from "./syntax/validation/names.ts"
export { conditional } from "./syntax/validation/Finding.ts"
export { newcomers } from "./syntax/validation/newcomers.ts"
export { rows } from "./primitives/vocabulary.ts"
export { systemWords } from "./primitives/systemTable.ts"
export { writtenInstead } from "./text/otherGlyphs.ts"
export { pointed } from "./text/caret.ts"
export { placeOf } from "./text/place.ts"

export type PrimitiveRow = VerbRow | SystemRow

/**
 * Loads `documents.ts`, which takes some ten milliseconds, in pieces of some milliseconds.
 *
 * Guarantees: `between` runs after each piece, so that other work gets a turn.
 */
const pieces: readonly (() => Promise<unknown>)[] = [
  () => import("./values/value.ts"),
  () => import("./primitives/table.ts"),
  () => import("./primitives/systemTable.ts"),
  () => import("./syntax/validate.ts"),
]

export const loadDocuments = async (between: () => Promise<void>): Promise<typeof import("./documents.ts")> => {
  for (const piece of pieces) {
    await piece()
    await between()
  }
  return import("./documents.ts")
}

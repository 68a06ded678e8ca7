/**
 * Loads `documents.ts` in pieces of a few milliseconds each; the whole takes about ten.
 *
 * Guarantees: `between` runs after each piece, so that other work can run then.
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

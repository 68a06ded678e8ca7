/** The type of an idiom: K code for a task. */

/** Name, task in words, K code (a statement per line), and its exact output on the console in a fresh session. */
type IdiomRow = readonly [name: string, task: string, code: string, prints: string]

export interface IdiomGroup {
  readonly group: string
  readonly rows: readonly IdiomRow[]
}

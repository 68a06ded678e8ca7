/** The shape of an idiom: K for a task. */

/** Name, task in words, K (statements on lines of their own), and exactly what the console prints for it in a fresh session. */
export type IdiomRow = readonly [name: string, task: string, code: string, prints: string]

export interface IdiomGroup {
  readonly group: string
  readonly rows: readonly IdiomRow[]
}

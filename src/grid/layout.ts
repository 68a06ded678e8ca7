/** Decides from the reply of `k_inspect` whether, and how, a value is a table. Pure. */

/** A variable, as `k_inspect` lists it. */
export interface ListedVariable {
  readonly name: string
  readonly type: number
  readonly kind: string
  readonly shape: string
  readonly preview: string
}

interface Looked {
  readonly value?: ListedVariable
  readonly entries?: readonly ListedVariable[]
}

/** The columns: one, by the shape of the rows, or by name; of a dictionary with many entries, only those that are listed. */
export type Layout = { readonly kind: "vector" } | { readonly kind: "list" } | { readonly kind: "table"; readonly names: readonly string[] }

/** Undefined when the value is no table. */
export const layoutOf = ({ value, entries }: Looked): Layout | undefined => {
  if (value !== undefined) return value.type < 0 ? { kind: "vector" } : value.type === 0 ? { kind: "list" } : undefined
  if (entries === undefined || entries.length === 0) return undefined
  const { shape } = entries[0]!
  const isTable = /^\d+$/.test(shape) && entries.every((each) => each.type <= 0 && each.shape === shape)
  return isTable ? { kind: "table", names: entries.map(({ name }) => name) } : undefined
}

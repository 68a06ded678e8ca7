/** Decides from the reply of `k_inspect` whether, and how, a value is a table. Pure. */

/** A variable, as `k_inspect` lists it. */
export interface ListedVariable {
  readonly name: string
  readonly type: number
  readonly kind: string
  readonly shape: string
  readonly preview: string
}

/** The reply of `k_inspect`, as far as it decides. */
interface Inspected {
  readonly value?: ListedVariable
  readonly entries?: readonly ListedVariable[]
}

/** The columns of an array follow from its rows. Those of a table have names: of a dictionary with many entries, only those that are listed. */
export type Layout = { readonly kind: "array" } | { readonly kind: "table"; readonly names: readonly string[] }

/** Undefined when the value is no table. */
export const layoutOf = ({ value, entries }: Inspected): Layout | undefined => {
  if (value !== undefined) return value.type <= 0 ? { kind: "array" } : undefined
  if (entries === undefined || entries.length === 0) return undefined
  const { shape } = entries[0]!
  const isTable = /^\d+$/.test(shape) && entries.every((each) => each.type <= 0 && each.shape === shape)
  return isTable ? { kind: "table", names: entries.map(({ name }) => name) } : undefined
}

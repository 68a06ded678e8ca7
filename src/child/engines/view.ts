/** How much of a path is looked at: levels, a slice, and where to go on. */
export interface View {
  /** Levels below the path, 1 when absent. */
  readonly depth?: number | undefined
  readonly slice?: Slice | undefined
  /** Entries to pass over. */
  readonly skip?: number | undefined
}

/** Items from one position to before another, or the item that positions and names lead to. */
export type Slice = { readonly range: readonly [from: number, to: number] } | { readonly index: readonly (number | string)[] }

/** Entries of one reply. */
export const mostEntries = 100
/** Levels that are looked at. */
export const mostDepth = 8

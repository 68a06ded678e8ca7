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

/** `10 20` is a range, `[2;3]` and ``[`a;0]`` are indices as K writes them. */
export const sliceOf = (text: string): Slice | undefined => {
  const range = /^\s*(\d{1,10})\s+(\d{1,10})\s*$/.exec(text)
  if (range !== null) return { range: [Number(range[1]), Number(range[2])] }
  const index = /^\s*\[(.*)\]\s*$/
    .exec(text)?.[1]
    ?.split(";")
    .map((place) => place.trim())
  if (index === undefined || !index.every((place) => /^(?:\d{1,10}|`[A-Za-z]\w*)$/.test(place))) return undefined
  return { index: index.map((place) => (place.startsWith("`") ? place.slice(1) : Number(place))) }
}

/** A path with places behind it, as lists are told item by item: `n[3][2]`. */
export const placesIn = (path: string): { readonly path: string; readonly slice: Slice } | undefined => {
  const [, own, places] = /^([^[\]]+)((?:\[\d{1,10}\])+)$/.exec(path) ?? []
  return own === undefined ? undefined : { path: own, slice: { index: places!.slice(1, -1).split("][").map(Number) } }
}

/** Entries of one reply. */
export const mostEntries = 100
/** Levels that are looked at. */
export const mostDepth = 8

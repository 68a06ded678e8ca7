/** Parses the argument of `k_inspect` that names a part of a value. Pure. */
import type { Slice } from "../child/engines/Listing.ts"

/** `10 20` is a range, `[2;3]` and ``[`a;0]`` are indices of K; undefined for any other text. */
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

/** Splits a path with indices, such as `n[3][2]`, into path and slice; undefined for a path without indices. */
export const placesIn = (path: string): { readonly path: string; readonly slice: Slice } | undefined => {
  const [, own, places] = /^([^[\]]+)((?:\[\d{1,10}\])+)$/.exec(path) ?? []
  return own === undefined ? undefined : { path: own, slice: { index: places!.slice(1, -1).split("][").map(Number) } }
}

/** How a part of a value is written in the arguments of `k_inspect`. Pure. */
import type { Slice } from "../child/engines/view.ts"

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

/** K's type codes in words, and the entry of a name without a value. The code of a function is 7, whatever its valence. */
import type { ListedName } from "./Listing.ts"

const kinds: Readonly<Record<number, string>> = {
  0: "list",
  1: "integer",
  2: "float",
  3: "character",
  4: "symbol",
  5: "dictionary",
  6: "nil",
  7: "function",
  [-1]: "integers",
  [-2]: "floats",
  [-3]: "characters",
  [-4]: "symbols",
}

export const kindOf = (type: number): string => kinds[type] ?? "value"

export const noValue = (name: string): ListedName => ({ name, type: 6, kind: "no value", shape: "", preview: "" })

/** `.x`: runs a string, reads a name, makes a dictionary of pairs, takes a dictionary apart into triples; of another list, `.[…]` of its items. */
import { amendPath } from "../run/amend.ts"
import { applyDot } from "../run/apply.ts"
import { dictEntries, isEntry, makeDict } from "../values/dictionary.ts"
import { KError } from "../run/KError.ts"
import type { Kernel } from "../run/kernel.ts"
import { wrongType } from "../run/mismatch.ts"
import { spread } from "../run/Results.ts"
import { NIL, textOf, type List, type Symbols, type Value } from "../values/value.ts"

const NAME = /^\.?[A-Za-z_][A-Za-z0-9_]*(?:\.{1,2}[A-Za-z_][A-Za-z0-9_]*)*\.{0,2}$/

export const execute = (x: Value, k: Kernel): Value => {
  if (typeof x === "number") throw wrongType(". executes a string", x)
  switch (x.t) {
    case 3:
    case -3:
      return k.execute(textOf(x)!)
    case 4:
      return valueOf(x.text, k)
    case 5:
      return dictEntries(x)
    case 0:
    case -4:
      return ofList(x, k)
    default:
      throw wrongType(". executes a string", x)
  }
}

/**
 * Makes a dictionary of a list that begins with an entry; applies, indexes or amends with other lists of two to four items: Kx gives 1 for .(`a;1).
 */
const ofList = (x: List | Symbols, k: Kernel): Value => {
  const n = x.v.length
  const items = x.t === 0 ? x.v : spread(x).v
  if (n < 2 || isEntry(items[0]!)) return makeDict(items)
  return n === 2 ? applyDot(items[0]!, items[1]!, k) : amendPath(items, k)
}

/** The value of a name; nil without one. */
const valueOf = (name: string, k: Kernel): Value => {
  if (name !== "" && !NAME.test(name)) throw new KError("domain", "not a name")
  return k.variables.find(name) ?? NIL
}

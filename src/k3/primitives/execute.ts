/** `.x`: runs a string, reads a name, makes a dictionary of pairs and triples of a dictionary. */
import { tick } from "../budget.ts"
import type { Kernel } from "../kernel.ts"
import { isAtom, NIL, textOf, type Value } from "../value.ts"
import { dictEntries, makeDict } from "../dictionary.ts"
import { KError } from "../KError.ts"
import { wrongType } from "../mismatch.ts"

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
      // Kx gives 1 for .(`a;1), which is no list of pairs.
      return x.v.length > 0 && everyAtom(x.v) ? x.v.at(-1)! : makeDict(x.v)
    default:
      throw wrongType(". executes a string", x)
  }
}

const everyAtom = (items: readonly Value[]): boolean => {
  tick(items.length >> 2)
  return items.every(isAtom)
}

/** The value of a name, nil when it has none. */
const valueOf = (name: string, k: Kernel): Value => {
  if (name !== "" && !NAME.test(name)) throw new KError("domain", "not a name")
  return k.variables.find(name) ?? NIL
}

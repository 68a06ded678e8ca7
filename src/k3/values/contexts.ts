/** The directories of the globals that a function's text names. Does not: look at globals. */
import { tick } from "../run/budget.ts"
import { Composition } from "./Composition.ts"
import { Derived } from "./Derived.ts"
import { Projection } from "./function.ts"
import { Lambda } from "./Lambda.ts"
import { Dict, List, type Func, type Value } from "./value.ts"

/** The root as such a directory. */
export const ROOT = "."

/** The directories of the functions that a function is made of. An image has one for the whole text. */
export const contextsOf = (f: Func): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (x: Value | undefined): void => {
    if (x === undefined || typeof x === "number") return
    tick()
    if (x instanceof Lambda) {
      if (x.context !== "") found.add(x.context)
    } else if (x instanceof Derived) visit(x.f)
    else if (x instanceof Projection) [x.f, ...x.args].forEach(visit)
    else if (x instanceof Composition) x.parts.forEach(visit)
    else if (x instanceof List) x.v.forEach(visit)
    else if (x instanceof Dict) [...x.values, ...x.attributes].forEach(visit)
  }
  visit(f)
  return found
}

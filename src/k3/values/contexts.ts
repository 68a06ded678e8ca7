/** The K functions in a value, and the directories of the globals that their texts name. Does not: look at globals. */
import { tick } from "../run/budget.ts"
import { Composition } from "./Composition.ts"
import { Derived } from "./Derived.ts"
import { Projection } from "./function.ts"
import { Lambda } from "./Lambda.ts"
import { partsOf } from "./Parts.ts"
import { Dict, List, type Func, type Value } from "./value.ts"

/** The root as such a directory. */
export const ROOT = "."

/** Calls `found` for each K function that a value holds, or that a function is made of. */
const eachLambda = (value: Value, found: (f: Lambda) => void): void => {
  const visit = (x: Value | undefined): void => {
    if (x === undefined || typeof x === "number") return
    tick()
    if (x instanceof Lambda) found(x)
    else if (x instanceof Derived) visit(x.f)
    else if (x instanceof Projection) [x.f, ...x.args].forEach(visit)
    else if (x instanceof Composition) x.parts.forEach(visit)
    else if (x instanceof List && partsOf(x) === undefined) x.v.forEach(visit)
    else if (x instanceof Dict) {
      x.values.forEach(visit)
      x.attributes.forEach(visit)
    }
  }
  visit(value)
}

/** The directories of the functions that a function is made of. An image has one for the whole text. */
export const contextsOf = (f: Func): ReadonlySet<string> => {
  const found = new Set<string>()
  eachLambda(f, ({ context }) => found.add(context))
  found.delete("")
  return found
}

/** Does it hold a function that captured locals? Its text alone cannot restore it. */
export const isClosed = (x: Value): boolean => {
  let closed = false
  eachLambda(x, (f) => (closed ||= f.closed))
  return closed
}

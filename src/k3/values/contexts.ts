/** The K functions in a value, and the directories of the globals that their texts name. Does not: look at globals. */
import { tick } from "../run/budget.ts"
import { Composition } from "./Composition.ts"
import { Derived } from "./Derived.ts"
import { Projection } from "./function.ts"
import { Lambda } from "./Lambda.ts"
import { partsOf } from "./Parts.ts"
import { Dict, Func, List, type Value } from "./value.ts"

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

/** Is it made of a function that captured locals? */
const isClosed = (f: Func): boolean => {
  let closed = false
  eachLambda(f, ({ captured }) => (closed ||= captured !== undefined))
  return closed
}

/** Why a value's image misses a part of it: the image of a function that is made of others is its text, with one directory. */
export const missedByImage = (x: Value): string | undefined => {
  if (x instanceof Lambda) return x.captured && missedByImage(x.captured)
  if (x instanceof Func) {
    if (isClosed(x)) return "a function in it is made of one that holds variables of the function that made it"
    return contextsOf(x).size > 1 ? "a function in it is made of functions of several directories" : undefined
  }
  const items = x instanceof Dict ? [...x.values, ...x.attributes] : x instanceof List && partsOf(x) === undefined ? x.v : []
  for (const each of items) {
    const why = missedByImage(each)
    if (why !== undefined) return why
  }
  return undefined
}

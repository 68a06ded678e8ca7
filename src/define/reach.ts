/**
 * The side effects of a function and of all functions that it uses, found in their present texts in the session. Each name and effect has the
 * way there, such as `imp → w → file write`.
 *
 * Guarantees: at most `mostFunctions` names are inspected. A name that is missing, or cannot be inspected now, counts as having every effect.
 * Each name and effect is listed once, with a shortest way.
 */
import * as Effect from "effect/Effect"
import { pathOfName, shown } from "../child/engines/impact.ts"
import type { Session } from "../session/Session.ts"
import { both, type Purity, purityOf } from "./purity.ts"

const mostFunctions = 64

/** The effects, and the ways to the used names, each beginning with the outermost name. */
export interface Reach extends Purity {
  readonly uses: readonly string[]
  /** The ways to the effects in `touches`, in the same order. */
  readonly ways: readonly string[]
}

interface Step {
  /** The name or path for `inspect`. */
  readonly name: string
  readonly way: readonly string[]
}

export const reachOf = Effect.fnUntraced(function* (code: string, { inspect }: Pick<Session, "inspect">): Effect.fn.Return<Reach> {
  const { uses: direct, ...own } = purityOf(code)
  let purity: Purity = own
  const ways = new Map(own.touches.map((touch) => [touch, touch]))
  const waiting: Step[] = direct.map((name) => ({ name, way: [name] }))
  const met = new Set(direct)
  const seen = new Set<string>()
  const uses: string[] = []
  for (let looked = 0; looked < waiting.length; looked++) {
    const { name, way } = waiting[looked]!
    const found = looked < mostFunctions ? yield* Effect.orElseSucceed(inspect(name), () => undefined) : undefined
    const path = found?.path ?? name
    // A name and a path may lead to the same variable.
    if (seen.has(path)) continue
    seen.add(path)
    uses.push(shown(way))
    const value = found?.value
    // A directory has entries. A variable that is no function is only read, so it has no effect.
    const isThere =
      found !== undefined && found.unknown !== true && (found.entries.length > 0 || (value !== undefined && value.kind !== "no value"))
    if (!isThere && !purity.assigns.includes(name)) purity = both(purity, { touches: [], assigns: [], unknown: [name] })
    if (found === undefined || value?.function === undefined) continue
    const { uses: further, ...does } = purityOf(value.function.text)
    purity = both(purity, does)
    for (const touch of does.touches) if (!ways.has(touch)) ways.set(touch, shown([...way, touch]))
    for (const each of further) {
      const to = pathOfName(each, path)
      if (met.has(to) || seen.has(to)) continue
      met.add(to)
      waiting.push({ name: to, way: [...way, each] })
    }
  }
  return { ...purity, uses, ways: [...ways.values()] }
})

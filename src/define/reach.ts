/**
 * What a function may do, with all it uses: its text, and the text of each function of the session that it comes to, as they are now; each
 * use and touch with the way that leads there, `imp → w → file write`.
 * Guarantees: at most `mostFunctions` names are looked at; one that is not there, or cannot be looked at now, counts as doing everything;
 * each name and touch is told once, by a shortest way.
 */
import * as Effect from "effect/Effect"
import { meant, shown } from "../child/engines/impact.ts"
import type { Session } from "../session/Session.ts"
import { both, type Purity, purityOf } from "./purity.ts"

const mostFunctions = 64

/** Ways, from the outermost name on. */
export interface Reach extends Purity {
  readonly uses: readonly string[]
  /** Of `touches`, in that order. */
  readonly ways: readonly string[]
}

interface Step {
  /** As it can be looked at. */
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
    // By its name in one directory and its path in another it is one.
    if (seen.has(path)) continue
    seen.add(path)
    uses.push(shown(way))
    const value = found?.value
    // A directory has names below it; a variable is only read.
    const isThere =
      found !== undefined && found.unknown !== true && (found.entries.length > 0 || (value !== undefined && value.kind !== "no value"))
    if (!isThere && !purity.assigns.includes(name)) purity = both(purity, { touches: [], assigns: [], unknown: [name] })
    if (found === undefined || value?.function === undefined) continue
    const { uses: further, ...does } = purityOf(value.function.text)
    purity = both(purity, does)
    for (const touch of does.touches) if (!ways.has(touch)) ways.set(touch, shown([...way, touch]))
    for (const each of further) {
      const to = meant(each, path)
      if (met.has(to) || seen.has(to)) continue
      met.add(to)
      waiting.push({ name: to, way: [...way, each] })
    }
  }
  return { ...purity, uses, ways: [...ways.values()] }
})

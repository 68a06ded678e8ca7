/**
 * What a function may do, with all it uses: its text, and the text of each function of the session that it comes to, as they are now.
 * Guarantees: at most `mostFunctions` names are looked at; one that is not there, or cannot be looked at now, counts as doing everything.
 */
import * as Effect from "effect/Effect"
import type { Session } from "../session/Session.ts"
import { both, type Purity, purityOf } from "./purity.ts"

const mostFunctions = 64

export const reachOf = Effect.fnUntraced(function* (code: string, { inspect }: Pick<Session, "inspect">): Effect.fn.Return<Purity> {
  const { uses, ...own } = purityOf(code)
  let purity: Purity = own
  const waiting = [...uses]
  const met = new Set(waiting)
  for (let looked = 0; waiting.length > 0; looked++) {
    const name = waiting.shift()!
    const found = looked < mostFunctions ? yield* Effect.orElseSucceed(inspect(name), () => undefined) : undefined
    const value = found?.value
    // A directory has names below it; a variable is only read.
    const isThere =
      found !== undefined && found.unknown !== true && (found.entries.length > 0 || (value !== undefined && value.kind !== "no value"))
    if (!isThere && !purity.assigns.includes(name)) purity = both(purity, { touches: [], assigns: [], unknown: [name] })
    if (value?.function === undefined) continue
    const { uses: further, ...does } = purityOf(value.function.text)
    purity = both(purity, does)
    for (const each of further) {
      if (met.has(each)) continue
      met.add(each)
      waiting.push(each)
    }
  }
  return purity
})

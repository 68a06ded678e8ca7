/**
 * A cache of compiled texts, by the text and the directory they were compiled in.
 *
 * Guarantees: at most `KEPT` entries; the oldest is dropped. Does not: run them, or know when the tree whose cells they hold is replaced.
 */
import { tick } from "../run/budget.ts"
import { compile, type Compiled } from "../compile/compile.ts"
import type { Context } from "../compile/Context.ts"
import { vocabulary } from "../primitives/vocabulary.ts"
import { parse } from "../syntax/parser.ts"
import { inText } from "./thrown.ts"

const KEPT = 512
/** Characters. Longer texts are data more often than code that is run again. */
export const LONGEST_KEPT = 4096

export class CompiledTexts {
  private readonly kept = new Map<string, Compiled>()
  constructor(private readonly k: Context) {}

  get(source: string): Compiled {
    const key = `${this.k.currentDirectory}\n${source}`
    const known = this.kept.get(key)
    if (known !== undefined) return known
    const made = inText(source, () => compile(source, parse(source, vocabulary(), tick), this.k))
    if (source.length <= LONGEST_KEPT) {
      if (this.kept.size >= KEPT) this.kept.delete(this.kept.keys().next().value!)
      this.kept.set(key, made)
    }
    return made
  }

  /** Empties the cache. True when it held anything. */
  clear(): boolean {
    const had = this.kept.size > 0
    this.kept.clear()
    return had
  }
}

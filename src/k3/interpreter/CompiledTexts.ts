/**
 * A cache of compiled texts, by the text and the directory they were compiled in.
 *
 * Guarantees: at most `KEPT` entries; the oldest is dropped. Does not: run them, or know when the tree whose cells they hold is replaced.
 */
import { tick } from "../run/budget.ts"
import { Cache } from "../compile/Cache.ts"
import { compile, type Compiled } from "../compile/compile.ts"
import type { Context } from "../compile/Context.ts"
import { vocabulary } from "../primitives/vocabulary.ts"
import { parse } from "../syntax/parser.ts"
import { inText } from "./thrown.ts"

const KEPT = 512
/** Characters. Longer texts are data more often than code that is run again. */
export const LONGEST_KEPT = 4096

export class CompiledTexts {
  private readonly kept = new Cache<Compiled>(KEPT)
  constructor(private readonly k: Context) {}

  get(source: string): Compiled {
    const make = (): Compiled => inText(source, () => compile(source, parse(source, vocabulary(), tick), this.k))
    return source.length > LONGEST_KEPT ? make() : this.kept.get(`${this.k.currentDirectory}\n${source}`, make)
  }

  /** Empties the cache. True when it held anything. */
  clear(): boolean {
    return this.kept.clear()
  }
}

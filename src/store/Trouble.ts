/** What is wrong with the store, in sentences: now, for status, and once each for the next reply and the log. */
import * as Effect from "effect/Effect"

export class Trouble {
  /** What is wrong now, by what it is about. */
  private readonly sentences = new Map<string, string>()
  /** A disk that is full off and on is told of once. */
  private readonly told = new Set<string>()
  private untold: string[] = []

  complain(about: string, sentence: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.sentences.set(about, sentence)
      if (this.told.has(about)) return Effect.void
      this.told.add(about)
      this.untold.push(sentence)
      return Effect.logWarning(sentence)
    })
  }

  /** What begins so is not wrong any more. */
  isOver(about: string): void {
    for (const each of this.sentences.keys()) if (each.startsWith(about)) this.sentences.delete(each)
  }

  get now(): readonly string[] {
    return [...this.sentences.values()]
  }

  /** Those that nobody has taken yet. */
  take(): readonly string[] {
    return this.untold.splice(0)
  }
}

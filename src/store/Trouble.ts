/** Problems of the store, in sentences. Status lists the present ones, the next reply the new ones, at most `most` each; the log has each once. */
import * as Effect from "effect/Effect"

const most = 20

const shown = (all: readonly string[]): readonly string[] =>
  all.length <= most ? all : [...all.slice(0, most), `The log has ${all.length - most} more problems with what is stored.`]

export class Trouble {
  /** The present problems by subject. */
  private readonly sentences = new Map<string, string>()
  /** Subjects that were reported. A problem that comes and goes, such as a full disk, is reported once. */
  private readonly reported = new Set<string>()
  private unreported: string[] = []

  report(about: string, sentence: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.sentences.set(about, sentence)
      if (this.reported.has(about)) return Effect.void
      this.reported.add(about)
      this.unreported.push(sentence)
      return Effect.logWarning(sentence)
    })
  }

  /** Removes the problems whose subject begins with `about`. */
  resolve(about: string): void {
    for (const each of this.sentences.keys()) if (each.startsWith(about)) this.sentences.delete(each)
  }

  get now(): readonly string[] {
    return shown([...this.sentences.values()])
  }

  /** Takes the sentences that no caller has taken yet. */
  take(): readonly string[] {
    return shown(this.unreported.splice(0))
  }
}

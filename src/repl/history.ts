/**
 * The console's history of entered statements, in memory and in a file. A statement of several lines is one entry.
 *
 * Guarantees: each entry is appended to the file at once, so that two consoles do not overwrite each other's entries; only the owner can read
 * the file, and its size is bounded. An entry is one line of the file, with byte 1F in place of its newlines. Other
 * characters of the file that a terminal would obey become U+FFFD.
 * Does not: fail: if the file cannot be written, the history lasts as long as the console.
 */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { makeFolder } from "./makeFolder.ts"
import { stateHome } from "./stateHome.ts"
import { withFallback } from "./withFallback.ts"

export const KEPT = 1000
const NEWLINE = "\x1f"
/** Characters that a terminal obeys. */
const ACTIVE = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu

/** The path of the history file: `K3_HISTORY`, else in the platform's folder for state. */
export const historyFile = (environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string =>
  environment["K3_HISTORY"] || join(stateHome(environment, platform), "k3", "history")

/** The last `KEPT` lines of the file, oldest first; a file of more than twice as many lines is cut to them. */
const readLines = (file: string): readonly string[] =>
  withFallback(() => {
    const lines = readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "")
    const kept = lines.slice(-KEPT)
    if (lines.length > 2 * KEPT) withFallback(() => writeFileSync(file, `${kept.join("\n")}\n`, { mode: 0o600 }), undefined)
    return kept
  }, [])

export class LineHistory {
  /** The entries, latest first, without duplicates. */
  readonly entries: string[]

  constructor(private readonly file: string) {
    const lines = readLines(file).toReversed()
    this.entries = [...new Set(lines.map((line) => line.replaceAll(NEWLINE, "\n").replaceAll(ACTIVE, "\ufffd")))]
  }

  add(entry: string): void {
    if (entry.trim() === "") return
    const known = this.entries.indexOf(entry)
    if (known >= 0) this.entries.splice(known, 1)
    this.entries.unshift(entry)
    this.entries.length = Math.min(this.entries.length, KEPT)
    withFallback(() => {
      makeFolder(dirname(this.file))
      appendFileSync(this.file, `${entry.replaceAll("\n", NEWLINE)}\n`, { mode: 0o600 })
    }, undefined)
  }
}

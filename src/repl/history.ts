/**
 * The console's history: what was entered, a function of several lines as one entry, in memory and on disk.
 *
 * Guarantees: each entry is appended to the file when it was entered, so that two consoles do not lose each other's; the file is its
 * owner's only and does not grow without bound. An entry is one line of the file, the byte 1F standing for a newline in it.
 * Does not: ever fail the console: where the file cannot be kept, history lasts as long as the console.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { stateHome } from "./stateHome.ts"

export const KEPT = 1000
const NEWLINE = "\x1f"

/** `K3_HISTORY`, else in the platform's folder for state. */
export const historyFile = (environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string =>
  environment["K3_HISTORY"] || join(stateHome(environment, platform), "k3", "history")

const quietly = <A>(attempt: () => A, otherwise: A): A => {
  try {
    return attempt()
  } catch {
    return otherwise
  }
}

/** The lines kept, oldest first; a file that has grown to twice as many is cut. */
const readLines = (file: string): string[] =>
  quietly(() => {
    const lines = readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "")
    const kept = lines.slice(-KEPT)
    if (lines.length > 2 * KEPT) quietly(() => writeFileSync(file, `${kept.join("\n")}\n`, { mode: 0o600 }), undefined)
    return kept
  }, [])

/** Node's own recursive `mkdir` never ends where the system makes no folders, as in /proc. */
const makeFolder = (path: string): void => {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

export class History {
  /** Youngest first, each once. */
  readonly entries: string[]

  constructor(private readonly file: string) {
    const lines = readLines(file).toReversed()
    this.entries = [...new Set(lines.map((line) => line.replaceAll(NEWLINE, "\n")))]
  }

  add(entry: string): void {
    if (entry.trim() === "") return
    const known = this.entries.indexOf(entry)
    if (known >= 0) this.entries.splice(known, 1)
    this.entries.unshift(entry)
    this.entries.length = Math.min(this.entries.length, KEPT)
    quietly(() => {
      makeFolder(dirname(this.file))
      appendFileSync(this.file, `${entry.replaceAll("\n", NEWLINE)}\n`, { mode: 0o600 })
    }, undefined)
  }
}

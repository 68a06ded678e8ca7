/**
 * The console's history on disk, one line each, oldest first.
 *
 * Guarantees: each line is appended when it was entered, so that two consoles do not lose each other's; the file is its owner's only and
 * does not grow without bound. Does not: ever fail the console: where the file cannot be kept, history lasts as long as the console.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

const KEPT = 1000

/** `K3_HISTORY`, else in the platform's folder for state. */
export const historyFile = (environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string => {
  const named = environment["K3_HISTORY"]
  if (named) return named
  const { homedir } = process.getBuiltinModule("node:os")
  const state =
    platform === "win32"
      ? (environment["LOCALAPPDATA"] ?? join(homedir(), "AppData", "Local"))
      : platform === "darwin"
        ? join(homedir(), "Library", "Application Support")
        : environment["XDG_STATE_HOME"] || join(homedir(), ".local", "state")
  return join(state, "k3", "history")
}

const quietly = <A>(attempt: () => A, otherwise: A): A => {
  try {
    return attempt()
  } catch {
    return otherwise
  }
}

/** The lines kept, oldest first; a file that has grown to twice as many is cut. */
export const readHistory = (file: string): string[] =>
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

export const appendHistory = (file: string, line: string): void =>
  quietly(() => {
    makeFolder(dirname(file))
    appendFileSync(file, `${line}\n`, { mode: 0o600 })
  }, undefined)

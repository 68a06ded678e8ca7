/**
 * Lists the K scripts below the roots. Each has the facts found in its text: its first comment, the names it defines, and the scripts it loads.
 *
 * Guarantees: at most `mostRead` bytes of a script are read. Other fibers run after every `step` scripts. An unreadable script is listed
 * without facts. Does not: run code, or find names that functions, or texts run as code, define.
 */
import * as Effect from "effect/Effect"
import { scriptText, statements } from "../k3/text/statements.ts"
import type { RootFiles } from "./RootFiles.ts"
import { defining, none } from "./variables/uncaptured.ts"

const mostRead = 64 * 1024
const mostComment = 200
/** Scripts in one list. */
const most = 100
/** Scripts read between two yields to other fibers. */
const step = 20

export interface ScriptFacts {
  readonly comment: string
  /** Absolute paths, or names of the directory `.k`. */
  readonly defines: readonly string[]
  readonly loads: readonly string[]
}

export interface ListedScript extends ScriptFacts {
  readonly name: string
  /** The script was not read to its end, or not at all. */
  readonly isCut: boolean
}

export interface Scripts {
  readonly scripts: readonly ListedScript[]
  /** Number of all matching scripts. */
  readonly total: number
  /** The search stopped at a limit, so there may be more scripts. */
  readonly isCut: boolean
}

const commentOf = (text: string): string => {
  const lines = text.split("\n", 20).map((line) => line.trim())
  const first = lines.findIndex((line) => line.startsWith("/") && !line.startsWith("/#!") && /\w/.test(line))
  if (first < 0 || lines.slice(0, first).some((line) => line !== "" && !line.startsWith("/"))) return ""
  const after = lines.slice(first)
  const end = after.findIndex((line) => !line.startsWith("/"))
  const words = after.slice(0, end < 0 ? after.length : end).map((line) => line.replace(/^\/+\s*/, ""))
  return words.join(" ").trim().slice(0, mostComment)
}

export const factsOf = (file: string): ScriptFacts => {
  const text = scriptText(file.replace(/^\ufeff/, ""))
  const loads = new Set<string>()
  let defined = none
  for (const statement of statements(text)) {
    const loaded = statement.command ? /^\\l\s+(.+)$/.exec(statement.wire.trim())?.[1] : undefined
    if (loaded !== undefined) loads.add(loaded)
    defined = defining(defined, statement, ".k") ?? defined
  }
  const names = [...defined.paths].map((path) => path.replace(/^\.k\.(?=\w+$)/, ""))
  return { comment: commentOf(text), defines: names, loads: [...loads] }
}

/** The first of the scripts whose name, comment or definitions contain one of `wanted`; of all scripts when `wanted` is empty. */
export const listScripts = Effect.fnUntraced(function* (files: RootFiles["Service"], wanted: readonly string[]) {
  const { files: all, isCut } = yield* files.scripts
  const texts = wanted.map((each) => each.toLowerCase())
  const isWanted = ({ name, comment, defines }: ListedScript): boolean =>
    texts.length === 0 || texts.some((text) => [name, comment, ...defines].some((each) => each.toLowerCase().includes(text)))
  const scripts: ListedScript[] = []
  let total = texts.length === 0 ? all.length : 0
  for (const [i, { name, path }] of all.entries()) {
    if (texts.length === 0 && scripts.length >= most) break
    if (i % step === step - 1) yield* Effect.yieldNow
    const head = yield* Effect.orElseSucceed(files.head(path, mostRead), () => undefined)
    const facts = head === undefined ? { comment: "", defines: [], loads: [] } : factsOf(head.text)
    const script: ListedScript = { name, ...facts, isCut: head?.isWhole !== true }
    if (!isWanted(script)) continue
    if (texts.length > 0) total++
    if (scripts.length < most) scripts.push(script)
  }
  return { scripts, total, isCut } satisfies Scripts
})

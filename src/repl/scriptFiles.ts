/**
 * The K scripts below the roots of a fence, by the names with which `\l` finds them, and the places where it looks for a name.
 *
 * Guarantees: follows no link; skips closed files and folders, hidden folders and `node_modules`; visits at most `mostFolders` folders and
 * returns at most `mostScripts` scripts, the nearest to a root first. Does not: read scripts.
 */
import { readdirSync } from "node:fs"
import { join, resolve } from "node:path"
import type { PathCheck } from "./fence.ts"
import { withFallback } from "./withFallback.ts"

const mostScripts = 5000
const mostFolders = 10_000
const deepest = 16
/** Folders visited in one step of the generator. */
const STEP = 20

export interface ScriptFiles {
  /** `name` is relative to the root; the whole path if an earlier root has a script of the same name. */
  readonly files: readonly { readonly name: string; readonly path: string }[]
  /** True when a limit was reached: there may be more scripts. */
  readonly isCut: boolean
}

/** None for a folder that is closed, gone, or not readable. */
const itemsOf = (folder: string, inside: PathCheck) => withFallback(() => readdirSync(inside(folder), { withFileTypes: true }), [])

const isPassedOver = (name: string): boolean => name.startsWith(".") || name === "node_modules"

const isOpen = (path: string, inside: PathCheck): boolean => withFallback(() => (inside(path), true), false)

/** The paths at which `\l name` looks in these folders, in order: the extension may be left out. */
export const scriptPaths = (name: string, folders: readonly string[]): readonly string[] =>
  folders.flatMap((folder) => (name.endsWith(".k") ? [name] : [name, `${name}.k`]).map((each) => resolve(folder, each)))

/** Yields every `STEP` folders, so that the caller can do other work; `roots` are absolute. */
export function* scriptFiles(roots: readonly string[], inside: PathCheck): Generator<undefined, ScriptFiles> {
  const found = new Map<string, string>()
  const paths = new Set<string>()
  const folders = roots.map((root) => ({ root, below: "", depth: 0 }))
  let looked = 0
  for (const { root, below, depth } of folders) {
    if (looked >= mostFolders || paths.size >= mostScripts) return { files: sorted(found), isCut: true }
    if (++looked % STEP === 0) yield
    for (const item of itemsOf(join(root, below), inside)) {
      const name = below === "" ? item.name : `${below}/${item.name}`
      const path = join(root, name)
      if (item.isDirectory() && !isPassedOver(item.name) && depth < deepest) folders.push({ root, below: name, depth: depth + 1 })
      if (!item.isFile() || !item.name.endsWith(".k") || paths.has(path) || paths.size >= mostScripts || !isOpen(path, inside)) continue
      paths.add(path)
      found.set(found.has(name) ? path : name, path)
    }
  }
  return { files: sorted(found), isCut: paths.size >= mostScripts }
}

/** The scripts found, in one go. */
export const allScriptFiles = (roots: readonly string[], inside: PathCheck): ScriptFiles["files"] => {
  const steps = scriptFiles(roots, inside)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value.files
  }
}

const sorted = (found: ReadonlyMap<string, string>): ScriptFiles["files"] =>
  Array.from(found, ([name, path]) => ({ name, path })).sort((a, b) => (a.name < b.name ? -1 : 1))

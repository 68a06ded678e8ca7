/**
 * The K scripts below the roots of a fence, by the names with which `\l` finds them.
 *
 * Guarantees: no link is followed, what the fence closes is passed over, and so are hidden folders and `node_modules`; at most `mostScripts`
 * scripts and `mostFolders` folders, those near a root first. Does not: read a script.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import type { Fence } from "./fence.ts"

export const mostScripts = 5000
const mostFolders = 10_000
const deepest = 16
/** Folders between two steps. */
const STEP = 20

export interface ScriptFiles {
  /** `name` is below its root; of one in a later root that an earlier root has too, it is the whole path. */
  readonly files: readonly { readonly name: string; readonly path: string }[]
  /** There may be more. */
  readonly isCut: boolean
}

const itemsOf = (folder: string, inside: Fence) => {
  try {
    return readdirSync(inside(folder), { withFileTypes: true })
  } catch {
    // It is closed, gone, or not ours to read.
    return []
  }
}

const isPassedOver = (name: string): boolean => name.startsWith(".") || name === "node_modules"

const isOpen = (path: string, inside: Fence): boolean => {
  try {
    inside(path)
    return true
  } catch {
    return false
  }
}

/** In steps, between which others may have a turn; `roots` are absolute. */
export function* scriptFiles(roots: readonly string[], inside: Fence): Generator<undefined, ScriptFiles> {
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

const sorted = (found: ReadonlyMap<string, string>): ScriptFiles["files"] =>
  Array.from(found, ([name, path]) => ({ name, path })).sort((a, b) => (a.name < b.name ? -1 : 1))

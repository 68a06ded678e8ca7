/**
 * Finds the place of a path (`a`, `d.x`, `.k.a.b`, `a..t`) in the tree.
 *
 * Guarantees: finding makes nothing. Does not: make directories itself; `made` gets a function for that.
 */
import type { Cell, Directory } from "./Directory.ts"
import { KError } from "../run/KError.ts"
import { sym, type Sym } from "../values/value.ts"

/** The place of a path: a directory, or a cell and the keys below it (an empty key stands for attributes). */
export type Place = { readonly directory: Directory } | { readonly cell: Cell; readonly keys: readonly string[] }

/** The keys of a path as indices; an empty key, for attributes, joins the key before it. */
export const keysOf = (keys: readonly string[]): Sym[] => {
  const out: string[] = []
  for (const key of keys) {
    if (key === "" && out.length > 0) out[out.length - 1] += "."
    else out.push(key)
  }
  return out.map(sym)
}

/** The names in a path of directories. */
export const namesOf = (path: string): readonly string[] => path.split(".").filter((name) => name !== "")

/** The names, checked for use as directories; throws a domain error for a name that cannot be one. */
export const ofDirectories = (names: readonly string[]): readonly string[] => {
  const wrong = names.find((name) => !/^[A-Za-z][A-Za-z0-9_]*$/.test(name))
  if (wrong !== undefined) throw new KError("domain", { what: "no-directory-name", name: wrong })
  return names
}

/** The innermost existing directory on a path, and the remaining names. */
interface Way {
  readonly directory: Directory
  readonly names: readonly string[]
}

/** Walks a path from the current directory, or from the root when the path begins with a dot. */
export const wayOf = (root: Directory, current: Directory, path: string): Way => {
  if (path === "" || path === ".") return { directory: root, names: [] }
  const names = path.split(".")
  let i = names[0] === "" ? 1 : 0
  let directory = i === 1 ? root : current
  for (let child = directory.children.get(names[i]!); child !== undefined; child = directory.children.get(names[i]!)) {
    directory = child
    i++
  }
  return { directory, names: names.slice(i) }
}

/** Names directly below the root are directories: `.a.b` is a variable in `.a`. But `.a..b` is an attribute of the variable `a` of the root. */
const leadsBelowRoot = ({ directory, names }: Way): boolean => directory.path === "" && names.length > 1 && names[1] !== ""

export const found = (way: Way): Place | undefined => {
  const { directory, names } = way
  if (names.length === 0) return { directory }
  const cell = directory.cells.get(names[0]!)
  return cell === undefined ? undefined : { cell, keys: names.slice(1) }
}

/** The place of a path, its variable made in the `role` of the code; `below` gives the directory of a name below the root. */
export const made = (way: Way, below: (name: string) => Directory, role: "cell" | "mention"): Place => {
  const { directory, names } = way
  const [name] = names
  if (name === undefined) return { directory }
  if (leadsBelowRoot(way)) return { cell: below(name)[role](names[1]!), keys: names.slice(2) }
  return { cell: directory[role](name), keys: names.slice(1) }
}

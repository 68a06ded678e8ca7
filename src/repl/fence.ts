/**
 * The fence around files: which paths K may use.
 *
 * Guarantees: a path that a `Fence` returns is real (without symbolic links, dangling ones included) and lies at or below a root and in no
 * closed folder; a path in /proc, /sys or /dev is inside a root only if the root is in the same system folder. Does not: protect against a link
 * that another process makes between check and use; `fencedFiles.ts` does.
 */
import { lstatSync, readlinkSync, realpathSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"

/** Thrown for a path that leads out of the roots, or to no file or folder. */
export class Outside extends Error {
  override readonly name = "Outside"
}

const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")

const attempt = <A>(look: () => A): A | undefined => {
  try {
    return look()
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** The path without symbolic links. If it does not exist: the real path of its deepest existing folder, and the rest as written. */
const realPath = (path: string, links = 0): string => {
  const real = attempt(() => realpathSync.native(path))
  if (real !== undefined) return real
  if (links > 40) throw new Outside(`too many symbolic links: ${path}`)
  if (attempt(() => lstatSync(path))?.isSymbolicLink() === true) return realPath(resolve(dirname(path), readlinkSync(path)), links + 1)
  const parent = dirname(path)
  return parent === path ? path : join(realPath(parent, links), basename(path))
}

/** `/proc`, `/sys` or `/dev` if the path is in one of them. */
const systemFolder = (path: string): string | undefined => /^\/(?:proc|sys|dev)(?=\/|$)/.exec(path)?.[0]

/** Does the root hold the path? Both are real. */
export const contains = (root: string, path: string): boolean => {
  const way = relative(root, path)
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way) && systemFolder(root) === systemFolder(path)
}

export type PathCheck = (path: string) => string

/** A function from an absolute path to its real path; it throws `Outside`. `closed`: files and folders below the roots that stay closed. */
export const fence = (roots: readonly string[], closed: readonly string[] = []): PathCheck => {
  const real = roots.map((root) => realPath(resolve(root)))
  return (path) => {
    if (path.includes("\0")) throw new Outside("a path cannot hold the byte 0")
    const target = realPath(path)
    // Resolved at each call: closed files may be made or moved meanwhile.
    const shut = closed.find((each) => contains(realPath(resolve(each)), target))
    if (shut !== undefined) throw new Outside(`${path} is the server's own: ${shut}`)
    if (real.some((root) => contains(root, target))) return target
    throw new Outside(`${path} is outside of ${roots.join(" ")}`)
  }
}

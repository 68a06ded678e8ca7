/**
 * The fence around the files of a program: which folders it may touch.
 *
 * Guarantees: a path that comes out of `inside` is real (no symbolic link is left in it, a dangling one included) and lies at or below
 * one of the roots and of no closed folder; what the system shows as files, in /proc, /sys and /dev, is inside of a root only when that
 * root is there too. Does not: help against a link that another process puts there between the look and the use, which `fencedFiles.ts` does.
 */
import { lstatSync, readlinkSync, realpathSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"

/** A path leads out of the roots, or to what is no file. */
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

/** The path without symbolic links: of what is not there yet, the deepest folder that is, and the rest as written. */
const realPath = (path: string, links = 0): string => {
  const real = attempt(() => realpathSync.native(path))
  if (real !== undefined) return real
  if (links > 40) throw new Outside(`too many symbolic links: ${path}`)
  if (attempt(() => lstatSync(path))?.isSymbolicLink() === true) return realPath(resolve(dirname(path), readlinkSync(path)), links + 1)
  const parent = dirname(path)
  return parent === path ? path : join(realPath(parent, links), basename(path))
}

/** The folder of the system's own that a path is in. */
const systemFolder = (path: string): string | undefined => /^\/(?:proc|sys|dev)(?=\/|$)/.exec(path)?.[0]

const contains = (root: string, path: string): boolean => {
  const way = relative(root, path)
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way) && systemFolder(root) === systemFolder(path)
}

export type Fence = (path: string) => string

/** `inside(path)` gives the real path of an absolute one, or throws `Outside`. `closed`: files and folders that no root opens. */
export const fence = (roots: readonly string[], closed: readonly string[] = []): Fence => {
  const real = roots.map((root) => realPath(resolve(root)))
  return (path) => {
    if (path.includes("\0")) throw new Outside("a path cannot hold the byte 0")
    const target = realPath(path)
    // They are looked at now, since they may be made, or moved, later.
    const shut = closed.find((each) => contains(realPath(resolve(each)), target))
    if (shut !== undefined) throw new Outside(`${path} is the server's own: ${shut}`)
    if (real.some((root) => contains(root, target))) return target
    throw new Outside(`${path} is outside of ${roots.join(" ")}`)
  }
}

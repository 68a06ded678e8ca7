/**
 * Takes a file or folder that K code made out of its place.
 *
 * Guarantees: it is in its place no more, whatever it holds and whatever is written to it meanwhile; the time and the disk that this takes are bounded. It is kept
 * where that costs little: on the same file system, or when it is small. Does not: keep pipes, sockets and devices on another file system.
 */
import { cpSync, lstatSync, readdirSync, renameSync, rmSync } from "node:fs"
import { basename, join } from "node:path"
import { makeFolder } from "./makeFolder.ts"

/** What is copied to another file system at most. */
const ENTRIES = 1000
const BYTES = 16 * 1024 ** 2

const isSmall = (path: string): boolean => {
  const paths = [path]
  let bytes = 0
  for (let i = 0; i < paths.length; i++) {
    const found = lstatSync(paths[i]!)
    bytes += found.size
    if (found.isDirectory()) for (const name of readdirSync(paths[i]!)) paths.push(join(paths[i]!, name))
    if (bytes > BYTES || paths.length > ENTRIES) return false
  }
  return true
}

const isCopied = (path: string, place: string): boolean => {
  try {
    if (!isSmall(path)) return false
    cpSync(path, place, { recursive: true, verbatimSymlinks: true, errorOnExist: true })
    return true
  } catch {
    rmSync(place, { recursive: true, force: true })
    return false
  }
}

const removed = (path: string): void => {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // Somebody goes on writing into it; nothing heeds it under its name of now.
  }
}

/** What became of it, for a sentence; undefined when it is still there, or gone already. */
export const takeAway = (path: string, folder: string): string | undefined => {
  const name = `${Date.now()}-${process.pid}-${basename(path)}`
  const place = join(folder, name)
  try {
    makeFolder(folder)
    try {
      renameSync(path, place)
      return `moved to ${place}. Move it back if you made it`
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error
    }
    // Out of its place first: what is copied or removed may still be written to.
    const beside = `${path}.k3-${name}`
    renameSync(path, beside)
    const isKept = isCopied(beside, place)
    removed(beside)
    return isKept ? `moved to ${place}. Move it back if you made it` : "removed: it is too large to be kept, or holds what cannot be copied"
  } catch {
    return undefined
  }
}

/**
 * Moves a file or folder that K code made away from its path.
 *
 * Guarantees: nothing outside of its folder is moved, also when K code puts a link in that folder's place. The path is free afterwards, whatever the
 * file or folder contains and whatever is written to it meanwhile. Nothing is copied or removed, since it may be the person's, and K code can put links
 * in it meanwhile: if the target does not take it, as on another file system, it is renamed where it is.
 */
import { chmodSync, renameSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { inFolder } from "../repl/inFolder.ts"
import { makeFolder } from "../repl/makeFolder.ts"
import { withFallback } from "../repl/withFallback.ts"

/** Characters of a name that are kept: with the number before it, a name of the greatest length would be too long. */
const NAME = 40
let taken = 0

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/** `folder`: a real path. */
const unlock = (folder: string): void => inFolder(folder, (way) => chmodSync(way, (statSync(way).mode & 0o7777) | 0o700))

/** `way`: a path through the open folder to the file or folder, whose real path is `path`. K code may have closed it, or its folder, to writers. */
const rename = (path: string, way: string, to: string): void => {
  try {
    renameSync(way, to)
  } catch (error) {
    if (codeOf(error) !== "EACCES") throw error
    unlock(dirname(path))
    // It may be a file.
    withFallback(() => unlock(path), undefined)
    renameSync(way, to)
  }
}

const takeFrom = (around: string, path: string, folder: string): string => {
  const number = `${Date.now()}-${process.pid}-${++taken}`
  const place = join(folder, `${number}-${basename(path).slice(-NAME)}`)
  const way = join(around, basename(path))
  const beside = join(around, `.k3-${number}`)
  try {
    makeFolder(folder)
    rename(path, way, place)
    return `moved to ${place}. Move it back if you made it`
  } catch {
    // Also if the folder takes nothing, as on a full disk: under this name no program uses it.
    rename(path, way, beside)
    return `moved to ${join(dirname(path), basename(beside))}. Look at it, since K code can write there, and move it back if you made it`
  }
}

/**
 * `path`: a real path. Returns the end of a sentence that says where it was moved; undefined when it could not be moved, was gone already, or a folder
 * around it was replaced by a link.
 */
export const quarantine = (path: string, folder: string): string | undefined =>
  withFallback(() => inFolder(dirname(path), (around) => takeFrom(around, path, folder)), undefined)

/**
 * Searches a root for protected files and folders (`child/fence/protectedPaths.ts`).
 *
 * Guarantees: other work of the server gets its turn between `AT_ONCE` folders. Does not: read more than `FOLDERS` folders of a root, node_modules,
 * or folders behind links.
 */
import { type Dirent, readdirSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { isProject, isProtected } from "../child/fence/protectedPaths.ts"
import { withFallback } from "../repl/withFallback.ts"

/** The most folders that are searched in each root, breadth first. */
export const FOLDERS = 5000
/** Folders read at the same time, or before other work of the server gets its turn. */
const AT_ONCE = 64

export interface RootContents {
  readonly readOnly: readonly string[]
  /** All folders that were found, also beyond those that were searched. */
  readonly folders: readonly string[]
}

const readInThread = (folder: string): Promise<readonly Dirent[]> => readdir(folder, { withFileTypes: true }).catch(() => [])

const readHere = (folder: string): readonly Dirent[] => withFallback(() => readdirSync(folder, { withFileTypes: true }), [])

/**
 * Finds the protected paths below a root, and the folders to watch. `builds`: files of a .NET build count too. A link with such a name is ignored:
 * making it read-only would protect its target instead. `wasRead`: the root was searched before, so its folders are in memory, and to read one takes
 * less time than to hand it to a thread.
 */
export const searchRoot = async (root: string, builds: boolean, wasRead = false): Promise<RootContents> => {
  const readOnly: string[] = []
  const folders = [root]
  const take = (folder: string, entries: readonly Dirent[]): void => {
    if (builds && folder !== root && entries.some(({ name }) => isProject(name))) {
      readOnly.push(folder)
      return
    }
    for (const entry of entries) {
      if (entry.isSymbolicLink()) continue
      if (isProtected(entry.name, builds)) readOnly.push(join(folder, entry.name))
      else if (entry.isDirectory() && entry.name !== "node_modules") folders.push(join(folder, entry.name))
    }
  }
  for (let done = 0; done < Math.min(folders.length, FOLDERS);) {
    const some = folders.slice(done, Math.min(done + AT_ONCE, FOLDERS))
    const read = wasRead ? some.map(readHere) : await Promise.all(some.map(readInThread))
    for (const [i, entries] of read.entries()) take(some[i]!, entries)
    done += some.length
    if (wasRead) await setImmediate()
  }
  return { readOnly, folders }
}

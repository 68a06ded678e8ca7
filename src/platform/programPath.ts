/**
 * The folders in which the server, and the programs that it starts outside of the fence, look for programs.
 *
 * Guarantees: while the server runs, K code cannot put a program into any of them, nor a link in place of one. A folder in a root is read-only behind
 * the fence, at its real path, if it exists when a child is launched; so one that is missing, is a root itself, or has no absolute path is left out, and
 * any other is named by its real path. Does not: hold without a fence; know what K code made there under an earlier server whose PATH did not name it
 * (`RootWatch.ts`); look at a program there that is a link to another place in a root.
 */
import { realpathSync } from "node:fs"
import { delimiter, dirname, isAbsolute, resolve } from "node:path"
import { fence } from "../repl/fence.ts"
import { withFallback } from "../repl/withFallback.ts"

/** `path`: as the variable PATH has it. */
export const programPath = (path: string, roots: readonly string[]): string => {
  const find = fence(roots)
  const inRoots = (folder: string): string | undefined => withFallback(() => find(resolve(folder)), undefined)
  const rootPaths = new Set(roots.map(inRoots))
  /** Is it in a root, or is a part of its path, which may be a link? */
  const touchesRoots = (folder: string): boolean =>
    inRoots(folder) !== undefined || (dirname(folder) !== folder && touchesRoots(dirname(folder)))
  const closed = (folder: string): readonly string[] => {
    if (!touchesRoots(resolve(folder))) return [folder]
    const real = withFallback(() => realpathSync.native(folder), undefined)
    return !isAbsolute(folder) || real === undefined || rootPaths.has(real) ? [] : [real]
  }
  return path.split(delimiter).flatMap(closed).join(delimiter)
}

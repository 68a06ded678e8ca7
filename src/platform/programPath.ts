/**
 * The folders in which the server, and the programs that it starts outside of the fence, look for programs.
 *
 * Guarantees: K code cannot put a program into any of them. A folder in a root is read-only behind the fence if it exists when a child is launched; so
 * one that is missing, is a root itself, or has no absolute path is left out. Does not: hold without a fence.
 */
import { existsSync } from "node:fs"
import { delimiter, isAbsolute, resolve } from "node:path"
import { fence } from "../repl/fence.ts"
import { withFallback } from "../repl/withFallback.ts"

/** `path`: as the variable PATH has it. */
export const programPath = (path: string, roots: readonly string[]): string => {
  const find = fence(roots)
  const inRoots = (folder: string): string | undefined => withFallback(() => find(resolve(folder)), undefined)
  const rootPaths = new Set(roots.map(inRoots))
  const isOpen = (folder: string): boolean => {
    const found = inRoots(folder)
    return found !== undefined && (!isAbsolute(folder) || !existsSync(found) || rootPaths.has(found))
  }
  return path
    .split(delimiter)
    .filter((folder) => !isOpen(folder))
    .join(delimiter)
}

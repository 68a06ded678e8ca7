/**
 * Tests whether K code may still run in a fence after its evaluation has ended.
 *
 * Guarantees: true if the fence holds another process, or the engine has loaded a .NET library that K code may have written, which may have threads
 * of its own, also if its file was deleted since.
 * Does not: know the purpose of these; find a library that has another ending, or was given one; find anything on systems that do not list a process's
 * children.
 */
import { readFileSync } from "node:fs"
import { isWithin } from "../child/fence/FencePlan.ts"
import { childrenOf, threadsOf } from "./processes.ts"
import { withFallback } from "../repl/withFallback.ts"

/** State and parent of a process. The name before them, in brackets, may contain any character. */
const statusOf = (pid: number): { readonly isZombie: boolean; readonly parent: number } => {
  const [state, parent] = readFileSync(`/proc/${pid}/stat`, "latin1")
    .replace(/^[^]*\) /, "")
    .split(" ")
  return { isZombie: state === "Z", parent: Number(parent) }
}

const startedBy = (pid: number): readonly number[] => threadsOf(pid).flatMap((thread) => childrenOf(pid, thread))

const runs = (pid: number): boolean => withFallback(() => !statusOf(pid).isZombie, false)

/** `engine`: the engine's pid. `writable`: folders that K code may write; `own`: a folder among these that it may not write. */
export const isLeftRunning = (engine: number, writable: readonly string[], own: string): boolean => {
  try {
    const init = statusOf(engine).parent
    // The engine is in no fence, or its pid inside is not known.
    if (init === process.pid) return false
    if ([...startedBy(init), ...startedBy(engine)].some((pid) => pid !== engine && runs(pid))) return true
    const libraries = readFileSync(`/proc/${engine}/maps`, "latin1").match(/\/.*\.dll(?: \(deleted\))?$/gim) ?? []
    return libraries.some((path) => !isWithin(path, own) && writable.some((folder) => isWithin(path, folder)))
  } catch {
    // The engine has ended.
    return false
  }
}

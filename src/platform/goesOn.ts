/**
 * Whether K code may go on behind a fence after its evaluation has ended.
 *
 * Guarantees: sees every further process inside, and a library of .NET that K code brought, which may have threads of its own. Does not: know what those do; see
 * anything where the system does not list the children of a process.
 */
import { readdirSync, readFileSync } from "node:fs"
import { isWithin } from "../child/fence/FencePlan.ts"

/** State and parent of a process; its name, in brackets before them, may hold anything. */
const statusOf = (pid: number): { readonly isZombie: boolean; readonly parent: number } => {
  const [state, parent] = readFileSync(`/proc/${pid}/stat`, "latin1")
    .replace(/^[^]*\) /, "")
    .split(" ")
  return { isZombie: state === "Z", parent: Number(parent) }
}

const childrenOf = (pid: number): readonly number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    (readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1").match(/\d+/g) ?? []).map(Number),
  )

const runs = (pid: number): boolean => {
  try {
    return !statusOf(pid).isZombie
  } catch {
    return false
  }
}

/** `engine`: the process of the engine. `writable`: folders that K code may have put a library in; `own`: one in there that it may not. */
export const goesOn = (engine: number, writable: readonly string[], own: string): boolean => {
  try {
    const init = statusOf(engine).parent
    // No fence is around it, or its own process is not known.
    if (init === process.pid) return false
    if ([...childrenOf(init), ...childrenOf(engine)].some((pid) => pid !== engine && runs(pid))) return true
    const libraries = readFileSync(`/proc/${engine}/maps`, "latin1").match(/\/.*\.dll$/gim) ?? []
    return libraries.some((path) => !isWithin(path, own) && writable.some((folder) => isWithin(path, folder)))
  } catch {
    // It has ended.
    return false
  }
}

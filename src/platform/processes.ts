/** Facts about processes of this machine. Threads and children are known on Linux alone. */
import { readdirSync, readFileSync } from "node:fs"
import { withFallback } from "../repl/withFallback.ts"

/** Whether a process with that id exists. True when the system does not tell. */
export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH"
  }
}

/** The threads of a process. The first has the process's id. */
export const threadsOf = (pid: number): readonly number[] => withFallback(() => readdirSync(`/proc/${pid}/task`).map(Number), [pid])

/** The processes that a thread of a process has started, while they exist. */
export const childrenOf = (pid: number, thread: number): readonly number[] =>
  withFallback(() => Array.from(readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1").matchAll(/\d+/g), Number), [])

const firstChildOf = (pid: number): number | undefined => childrenOf(pid, pid)[0]

/**
 * Finds the process id of a program in a fence, as seen from outside. `fence`: the pid of bubblewrap, whose only child is the init process inside;
 * init's first child is the program. The function returns undefined until the program has started, and on systems without /proc.
 */
export const pidInside = (fence: number): (() => number | undefined) => {
  let program: number | undefined
  return () => {
    const init = program === undefined ? firstChildOf(fence) : undefined
    program ??= init === undefined ? undefined : firstChildOf(init)
    return program
  }
}

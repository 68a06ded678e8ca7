/** Finds the process id of a program in a fence, as seen from outside. */
import { childrenOf } from "./processes.ts"

const firstChildOf = (pid: number): number | undefined => childrenOf(pid, pid)[0]

/**
 * `fence`: the pid of bubblewrap, whose only child is the init process inside; init's first child is the program. The function returns undefined
 * until the program has started, and on systems without /proc.
 */
export const pidInside = (fence: number): (() => number | undefined) => {
  let program: number | undefined
  return () => {
    const init = program === undefined ? firstChildOf(fence) : undefined
    program ??= init === undefined ? undefined : firstChildOf(init)
    return program
  }
}

/** Finds the process id of a program in a fence, as seen from outside. */
import { readFileSync } from "node:fs"

const childOf = (pid: number): number | undefined => {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ", 1)[0]) || undefined
  } catch {
    return undefined
  }
}

/**
 * `fence`: the pid of bubblewrap, whose only child is the init process inside; init's first child is the program. The function returns undefined
 * until the program has started, and on systems without /proc.
 */
export const pidInside = (fence: number): (() => number | undefined) => {
  let program: number | undefined
  return () => {
    const init = program === undefined ? childOf(fence) : undefined
    program ??= init === undefined ? undefined : childOf(init)
    return program
  }
}

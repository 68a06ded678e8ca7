/** The process id of a fenced program, as it is outside. */
import { readFileSync } from "node:fs"

const childOf = (pid: number): number | undefined => {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ", 1)[0]) || undefined
  } catch {
    return undefined
  }
}

/** bubblewrap's only child is the init inside, whose first child is the program. Undefined until it has been started, and where the system does not say. */
export const pidInside = (fence: number): (() => number | undefined) => {
  let program: number | undefined
  return () => {
    const init = program === undefined ? childOf(fence) : undefined
    program ??= init === undefined ? undefined : childOf(init)
    return program
  }
}

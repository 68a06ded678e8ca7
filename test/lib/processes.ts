/** Is anything left of a process or of the group it led? A zombie counts as gone: it runs nothing and is only waiting to be reaped. */
import { readFileSync } from "node:fs"

const answers = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Where there is such a file, and such a process. */
const stateOf = (pid: number): string | undefined => {
  try {
    return /^State:\s+(\S)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  } catch {
    return undefined
  }
}

export const isAlive = (pid: number): boolean => {
  if (!Number.isInteger(pid)) throw new TypeError(`no process id: ${pid}`)
  // Before it is asked: a zombie that is reaped in between does not answer.
  const isZombie = stateOf(pid) === "Z"
  return !isZombie && (answers(pid) || (process.platform !== "win32" && answers(-pid)))
}

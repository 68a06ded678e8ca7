/** Tests whether a process, or another process of the group that it led, is alive. A zombie counts as gone: it only waits to be reaped. */
import { readFileSync } from "node:fs"

const answers = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The state letter of a process; undefined without such a process, or without /proc. */
const stateOf = (pid: number): string | undefined => {
  try {
    return /^State:\s+(\S)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  } catch {
    return undefined
  }
}

export const isAlive = (pid: number): boolean => {
  if (!Number.isInteger(pid)) throw new TypeError(`no process id: ${pid}`)
  // The state is read before the signal is sent: a zombie may be reaped in between.
  const isZombie = stateOf(pid) === "Z"
  return !isZombie && (answers(pid) || (process.platform !== "win32" && answers(-pid)))
}

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

const isZombie = (pid: number): boolean => {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

export const isAlive = (pid: number): boolean => {
  if (!Number.isInteger(pid)) throw new TypeError(`no process id: ${pid}`)
  return (answers(pid) && !isZombie(pid)) || (process.platform !== "win32" && answers(-pid) && !isZombie(pid))
}

/**
 * Which of the machine's processes get the processor first. Guarantees: a process that yields, and what it starts, gets what the server and
 * others of usual priority leave, where the system lets that be asked for. Does not: fail where it does not, or take anything back.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { constants, setPriority } from "node:os"

const { PRIORITY_BELOW_NORMAL: below } = constants.priority

/** Linux hears of a group no more than ten times a second, of all users together. */
const again = 150
const tries = 20

/** Linux with groups of its own making (`sched_autogroup`) compares processes of one session alone: between sessions their groups count. */
const yieldGroup = (pid: number, left = tries): void => {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(below), { flag: "r+" })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN" && left > 0) setTimeout(() => yieldGroup(pid, left - 1), again).unref()
  }
}

/** On Linux: those that it has started already; later ones inherit from it. */
const startedBy = (pid: number): readonly number[] => {
  try {
    return Array.from(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").matchAll(/\d+/g), Number)
  } catch {
    return []
  }
}

const lower = (pid: number): void => {
  try {
    setPriority(pid, below)
  } catch {
    return
  }
  for (const each of startedBy(pid)) lower(each)
}

/** `pid`: of a process that leads a session of its own, where there are sessions. */
export const letOthersFirst = (pid: number): void => {
  lower(pid)
  if (process.platform === "linux") yieldGroup(pid)
}

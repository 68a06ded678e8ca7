/**
 * Lowers the priority of a process. Guarantees: the process and its descendants get only the processor time that processes of usual priority leave, on
 * systems that allow it. Does not: fail on other systems; raise the priority again.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { constants, setPriority } from "node:os"

const { PRIORITY_BELOW_NORMAL: below } = constants.priority

/** Pause and number of attempts, ms: Linux accepts ten changes of an autogroup per second, for all users together. */
const again = 150
const tries = 20

/** With `sched_autogroup`, Linux compares priorities only within a session, and the priorities of the autogroups between sessions. */
const yieldGroup = (pid: number, left = tries): void => {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(below), { flag: "r+" })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN" && left > 0) setTimeout(() => yieldGroup(pid, left - 1), again).unref()
  }
}

/** The process's present children, on Linux. Later children inherit its priority. */
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

/** `pid`: a process that leads a session of its own, on systems with sessions. */
export const letOthersFirst = (pid: number): void => {
  lower(pid)
  if (process.platform === "linux") yieldGroup(pid)
}

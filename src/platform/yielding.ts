/**
 * Lowers the priority of a process. Guarantees: the process and its descendants get only the processor time that processes of usual priority leave,
 * on systems that allow it. Does not: fail on other systems; raise the priority again.
 */
import { writeFileSync } from "node:fs"
import { constants, setPriority } from "node:os"
import { childrenOf, threadsOf } from "./processes.ts"

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

/** On Linux each thread has its own priority; its later threads and children inherit it. */
const lower = (pid: number): void => {
  for (const thread of threadsOf(pid)) {
    try {
      setPriority(thread, below)
    } catch {
      continue
    }
    for (const child of childrenOf(pid, thread)) lower(child)
  }
}

/** `pid`: a process that leads a session of its own, on systems with sessions. */
export const letOthersFirst = (pid: number): void => {
  lower(pid)
  if (process.platform === "linux") yieldGroup(pid)
}

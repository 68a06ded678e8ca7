/**
 * Puts the server before its processes, on systems that allow it: they get the processor time that processes of usual priority leave
 * (`letOthersFirst`), and are ended before the server when memory runs out (`endFirst`). Guarantees: both hold for their descendants, too. Does not:
 * fail on other systems; undo either.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { constants, setPriority } from "node:os"
import { childrenOf, threadsOf } from "./processes.ts"
import { withFallback } from "../repl/withFallback.ts"

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

/** Added to the size of a process when Linux looks for the largest one, to end it; in thousandths of the machine's memory. */
const PENALTY = 300
const MOST = 1000

/** When memory runs out, Linux ends this process and those that it starts from now on before the server, also when the server is larger. */
export const endFirst = (pid: number): void => {
  withFallback(() => {
    const own = Number(readFileSync("/proc/self/oom_score_adj", "utf8"))
    writeFileSync(`/proc/${pid}/oom_score_adj`, String(Math.min(own + PENALTY, MOST)), { flag: "r+" })
  }, undefined)
}

/** `pid`: a process that leads a session of its own, on systems with sessions. */
export const letOthersFirst = (pid: number): void => {
  lower(pid)
  if (process.platform === "linux") yieldGroup(pid)
}

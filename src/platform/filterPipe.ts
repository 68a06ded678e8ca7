/**
 * Writes a filter of system calls to the fence's program. The program refuses to start with an incomplete filter, so the server may die meanwhile.
 */
import type { ChildProcess, IOType } from "node:child_process"
import type { Writable } from "node:stream"
import { FILTER_DESCRIPTOR } from "../child/fence/FencePlan.ts"

/** A pipe for each standard stream, and one more if there is a filter. */
export const stdioOf = (filter: Uint8Array | undefined): IOType[] =>
  Array.from({ length: filter === undefined ? FILTER_DESCRIPTOR : FILTER_DESCRIPTOR + 1 }, () => "pipe")

export const giveFilter = (child: ChildProcess, filter: Uint8Array | undefined): void => {
  // A process that could not be started has no streams.
  if (filter === undefined || child.pid === undefined) return
  const pipe = child.stdio[FILTER_DESCRIPTOR] as Writable | null | undefined
  pipe?.on("error", () => {}).end(filter)
}

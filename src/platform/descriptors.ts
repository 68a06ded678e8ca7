/**
 * Closes descriptors that the server inherited and does not use.
 *
 * Guarantees: afterwards a child inherits only its three streams. Node marks its own descriptors, and inherited ones up to the first gap in the
 * numbers, as close-on-exec; it overlooks those after the gap. Does not: close anything on systems without a list of descriptors (Linux has one).
 */
import { closeSync, readdirSync, readFileSync } from "node:fs"

const CLOSE_ON_EXEC = 0o2000000
const STREAMS = 3

const isInherited = (descriptor: number): boolean => {
  const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1]
  return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0
}

const close = (descriptor: number): void => {
  try {
    if (isInherited(descriptor)) closeSync(descriptor)
  } catch {
    // Already closed, as is the descriptor that read the list.
  }
}

let areClosed = false

export const closeInherited = (): void => {
  if (areClosed) return
  for (const name of readdirSync("/proc/self/fd")) if (Number(name) >= STREAMS) close(Number(name))
  areClosed = true
}

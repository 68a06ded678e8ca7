/**
 * Descriptors that the server was started with and does not use.
 *
 * Guarantees: once they are closed a child inherits its three streams and nothing else. Node opens its own to be closed in a child, and marks the first ones it
 * was started with so; those behind a gap in the numbers it overlooks. Does not: close where the system does not list them (Linux does).
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
    // It is gone, as the one is with which the list was read.
  }
}

let areClosed = false

export const closeInherited = (): void => {
  if (areClosed) return
  for (const name of readdirSync("/proc/self/fd")) if (Number(name) >= STREAMS) close(Number(name))
  areClosed = true
}

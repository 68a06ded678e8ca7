/** A host in memory: files in a map, a fixed clock, output as text. Unfilled memory is not zero, so that a test sees its use. */
import { KError } from "../../src/k3/run/KError.ts"
import type { Host } from "../../src/k3/k3.ts"

export interface MemoryHost extends Host {
  /** The output since the last `take`. */
  take(): string
  readonly stored: Map<string, Uint8Array>
}

export const memoryHost = (now = Date.UTC(2026, 10, 21, 12)): MemoryHost => {
  let output = ""
  const stored = new Map<string, Uint8Array>()
  const environment = new Map<string, string>()
  const read = (path: string): Uint8Array => {
    const data = stored.get(path)
    if (data === undefined) throw new KError("absent", path)
    return data
  }
  return {
    stored,
    take: () => {
      const taken = output
      output = ""
      return taken
    },
    write: (text) => void (output += text),
    now: () => now,
    zoneOffset: () => -300,
    interrupted: () => false,
    memoryUsed: () => 0,
    room: () => true,
    unfilled: (bytes) => new Uint8Array(bytes).fill(0xa5).buffer,
    exit: (code) => {
      throw new Error(`exit ${code}`)
    },
    env: {
      get: (name) => environment.get(name),
      set: (name, value) => void environment.set(name, value),
      user: "someone",
      host: "somewhere",
      args: ["k3"],
      address: (name) => (name === "127.0.0.1" || name === "localhost" ? 0x7f000001 : undefined),
    },
    files: {
      read: (path, first = 0, most = Infinity) => read(path).slice(first, first + most),
      script: (name) => (stored.has(name) ? name : `${name}.k`),
      write: (path, data) => void stored.set(path, data.slice()),
      patch: (path, pieces) => {
        for (const { at, bytes } of pieces) {
          const before = read(path)
          const after = new Uint8Array(Math.max(before.length, at + bytes.length))
          after.set(before)
          after.set(bytes, at)
          stored.set(path, after)
        }
      },
      size: (path) => read(path).length,
      list: () => [...stored.keys()],
      cd: (path) => path ?? "/",
    },
    shell: () => {
      throw new KError("access", "no shell here")
    },
  }
}

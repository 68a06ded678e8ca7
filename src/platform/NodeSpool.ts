/**
 * Spool files on Node, in the system's folder for temporary files. Guarantees: a file is unlinked as soon as it is open, so that none is left
 * behind, however the server ends; on Windows, where an open file keeps its name, it is unlinked when it is closed.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { randomUUID } from "node:crypto"
import { closeSync, openSync, read, unlinkSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Spool, type SpoolFile } from "../session/output/Spool.ts"
import { withFallback } from "../repl/withFallback.ts"

const opened = (): SpoolFile => {
  const path = join(tmpdir(), `k3-mcp-${randomUUID()}`)
  const file = openSync(path, "wx+", 0o600)
  const isUnlinked = process.platform !== "win32"
  if (isUnlinked) unlinkSync(path)
  return {
    write: (bytes, at) => {
      try {
        for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written, bytes.length - written, at + written)
        return true
      } catch {
        return false
      }
    },
    read: (at, length) =>
      Effect.callback((resume) => {
        const bytes = new Uint8Array(length)
        read(file, bytes, 0, length, at, (_, n) => resume(Effect.succeed(bytes.subarray(0, n || 0))))
      }),
    close: () => {
      closeSync(file)
      if (!isUnlinked) unlinkSync(path)
    },
  }
}

export const layer: Layer.Layer<Spool> = Layer.succeed(Spool, {
  open: () => withFallback(opened, undefined),
})

/**
 * Spool files on Node, in the system's folder for temporary files. Guarantees: a file is unlinked as soon as it is open, so that none is left
 * behind, however the server ends; on Windows, where an open file keeps its name, it is unlinked when it is closed. A closed file gives no bytes:
 * the system gives its number to the next file that is opened.
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
  let isClosed = false
  /** Number of reads under way. The file is closed after the last of them. */
  let reading = 0
  const closeUnread = (): void => {
    if (reading > 0) return
    closeSync(file)
    // A throw from the callback of a read would end the server.
    if (!isUnlinked) withFallback(() => unlinkSync(path), undefined)
  }
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
        if (isClosed) return resume(Effect.succeed(new Uint8Array()))
        const bytes = new Uint8Array(length)
        reading++
        read(file, bytes, 0, length, at, (_, n) => {
          reading--
          if (isClosed) closeUnread()
          resume(Effect.succeed(bytes.subarray(0, n || 0)))
        })
      }),
    close: () => {
      isClosed = true
      closeUnread()
    },
  }
}

export const layer: Layer.Layer<Spool> = Layer.succeed(Spool, {
  open: () => withFallback(opened, undefined),
})

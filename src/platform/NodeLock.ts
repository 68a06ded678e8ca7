/**
 * Node's locks. Node has no `flock`, but there are names of which the system gives each to one process at a time: an abstract socket on
 * Linux, a named pipe on Windows. Elsewhere (macOS, BSD) a file is opened with O_EXLOCK, which is `flock` in the same call.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import { close, constants, open } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { Lock } from "../store/folder/Lock.ts"

const byName = (name: string): Effect.Effect<boolean, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<(() => void) | undefined>((resume) => {
        const server = createServer((socket) => socket.destroy()).unref()
        server.once("error", () => resume(Effect.void as Effect.Effect<undefined>))
        server.listen(name, () => resume(Effect.succeed(() => void server.close())))
      }),
      (release) => Effect.sync(() => release?.()),
    ),
    (held) => held !== undefined,
  )

/** sys/fcntl.h of macOS and the BSDs. */
const O_EXLOCK = 0x20
const O_NONBLOCK = 0x04

const byFile = (path: string): Effect.Effect<boolean, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<number | undefined>((resume) => {
        open(path, constants.O_RDWR | constants.O_CREAT | O_EXLOCK | O_NONBLOCK, 0o600, (error, file) =>
          resume(Effect.succeed(error === null ? file : undefined)),
        )
      }),
      (file) => Effect.sync(() => file !== undefined && close(file)),
    ),
    (file) => file !== undefined,
  )

const named: Partial<Record<NodeJS.Platform, string>> = { linux: "\0", win32: "\\\\.\\pipe\\" }

export const layer: Layer.Layer<Lock> = Layer.succeed(Lock, {
  take: (folder) => {
    const prefix = named[process.platform]
    if (prefix === undefined) return byFile(join(folder, "lock"))
    return byName(`${prefix}k3-mcp-${createHash("sha256").update(folder).digest("hex").slice(0, 32)}`)
  },
})

/**
 * File locks on Node. Node has no `flock`, but it can pass an open file to a program that has: util-linux's `flock -n 3` locks the open file
 * behind its descriptor 3, which this process shares, and exits. The lock belongs to the open file, and lasts until this process closes
 * it or dies. macOS and the BSDs lock when the file is opened (O_EXLOCK); on Windows the file is opened for exclusive use.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { close, constants, fstat, open, rmdir, stat } from "node:fs"
import { Lock, type Taken } from "../store/folder/Lock.ts"

const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
/** From sys/fcntl.h of macOS and the BSDs: locks the file that is opened. */
const O_EXLOCK = 0x20
/** UV_FS_O_EXLOCK of uv.h: no other process can open the file. */
const EXCLUSIVE_ON_WINDOWS = 0x10000000

const locksAtOpen: Partial<Record<NodeJS.Platform, number>> = {
  darwin: O_EXLOCK,
  freebsd: O_EXLOCK,
  openbsd: O_EXLOCK,
  netbsd: O_EXLOCK,
  win32: EXCLUSIVE_ON_WINDOWS,
}

type Opened = { readonly file: number } | { readonly code: string }

const opened = (path: string, flags: number): Effect.Effect<Opened, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Opened>((resume) => {
      // Windows lacks some of these flags: `undefined` counts as 0 in `|`.
      const all = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | flags
      const answer = (error: NodeJS.ErrnoException | null, file: number): void =>
        resume(Effect.succeed(error === null ? { file } : { code: error.code ?? error.message }))
      open(path, all, 0o600, (error, file) => {
        // Removes an empty folder at the lock's path. `rmdir` removes nothing else, whatever another server does meanwhile.
        if (error?.code === "EISDIR") rmdir(path, () => open(path, all, 0o600, answer))
        else answer(error, file)
      })
    }),
    // Until the file is closed, the lock is held.
    (it) => ("file" in it ? Effect.callback<void>((resume) => close(it.file, () => resume(Effect.void))) : Effect.void),
  )

const cannotOpen = (code: string, path: string): Taken =>
  code === "EISDIR"
    ? { why: `a folder is in the place of its file lock, and cannot be removed unless it is empty: ${path}`, remedy: "Remove that folder." }
    : { why: `its file lock cannot be opened: ${code}`, remedy: "Set K3_STATE_DIR to a folder of your own." }

const noFlock: Taken = {
  why: "the program flock is not there",
  remedy: "Install util-linux, which has it, or set K3_STATE_DIR to none.",
}

const cannotStart = (why: string): Taken => ({
  why: `flock cannot be started: ${why}`,
  remedy: "It is tried again; the system needs room for more files and processes.",
})

/** Is the open file still the one at the path, not removed and not replaced? */
const isStill = (file: number, path: string): Effect.Effect<boolean> =>
  Effect.callback((resume) =>
    fstat(file, (_, own) =>
      stat(path, (error, found) => resume(Effect.succeed(error === null && found.ino === own.ino && found.dev === own.dev))),
    ),
  )

/** The time that `flock` may take, ms. On a network file system it may never answer, and everything that needs the state folder waits for it. */
const patience = 5000

/** Runs `flock` on an open file of this process; its exit code is 1 when another process has the lock. */
const flock = (file: number): Effect.Effect<Taken | "ours"> =>
  Effect.callback((resume) => {
    const answer = (taken: Taken | "ours"): void => resume(Effect.succeed(taken))
    const child = spawn("flock", ["-n", "3"], { stdio: ["ignore", "ignore", "pipe", file], timeout: patience, killSignal: "SIGKILL" })
    let complaint = ""
    child.once("error", (error: NodeJS.ErrnoException) => answer(error.code === "ENOENT" ? noFlock : cannotStart(error.message)))
    // A process that could not be started, for want of descriptors, has no streams.
    child.stderr?.on("data", (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(0, 200)))
    child.once("close", (code) => {
      if (code === 0) answer("ours")
      else if (code === 1 && complaint === "") answer("held")
      else {
        const how = child.killed ? `did not answer within ${patience} ms` : `failed: ${complaint.trim() || code}`
        answer({ why: `flock ${how}`, remedy: "Set K3_STATE_DIR to a folder on a local disk, or to none." })
      }
    })
  })

export const layer: Layer.Layer<Lock> = Layer.succeed(Lock, {
  take: Effect.fnUntraced(function* (path) {
    const atOpen = locksAtOpen[process.platform]
    const it = yield* opened(path, atOpen ?? 0)
    if ("code" in it)
      return atOpen !== undefined && ["EAGAIN", "EWOULDBLOCK", "EBUSY"].includes(it.code) ? "held" : cannotOpen(it.code, path)
    const taken = atOpen === undefined ? yield* flock(it.file) : "ours"
    return taken === "ours" ? { isOurs: isStill(it.file, path) } : taken
  }),
})

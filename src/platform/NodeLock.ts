/**
 * Node's locks. Node has no `flock`, but it can hand an open file to a program that has: util-linux's `flock -n 3` locks the open file
 * that it is given as descriptor 3, which is this process's own, and ends. The lock stays with the open file, until this process closes
 * it or dies. macOS and the BSDs lock in the call that opens (O_EXLOCK); on Windows a file is opened so that nobody else can.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { close, constants, fstat, open, rmdir, stat } from "node:fs"
import { Lock, type Taken } from "../store/folder/Lock.ts"

const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
/** sys/fcntl.h of macOS and the BSDs: flock in the same call. */
const O_EXLOCK = 0x20
/** uv.h, UV_FS_O_EXLOCK: opened by nobody else. */
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
      // Windows has not all of these flags, and what is not there is 0 among the others.
      const all = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | flags
      const answer = (error: NodeJS.ErrnoException | null, file: number): void =>
        resume(Effect.succeed(error === null ? { file } : { code: error.code ?? error.message }))
      open(path, all, 0o600, (error, file) => {
        // An empty folder in the lock's place goes: `rmdir` removes nothing else, whatever another server does meanwhile.
        if (error?.code === "EISDIR") rmdir(path, () => open(path, all, 0o600, answer))
        else answer(error, file)
      })
    }),
    (it) => Effect.sync(() => void ("file" in it && close(it.file))),
  )

const cannotOpen = (code: string): Taken => ({
  why: `its file lock cannot be opened: ${code}`,
  remedy: "Set K3_STATE_DIR to a folder of your own.",
})

const noFlock: Taken = {
  why: "the program flock is not there",
  remedy: "Install util-linux, which has it, or set K3_STATE_DIR to none.",
}

/** Has nobody removed the file that is open here, or put another one in its place? */
const isStill = (file: number, path: string): Effect.Effect<boolean> =>
  Effect.callback((resume) =>
    fstat(file, (_, own) =>
      stat(path, (error, found) => resume(Effect.succeed(error === null && found.ino === own.ino && found.dev === own.dev))),
    ),
  )

/** Asks `flock` to lock a file that is open here; its exit code is 1 when another process has the lock. */
const flock = (file: number): Effect.Effect<Taken | "ours"> =>
  Effect.callback((resume) => {
    const answer = (taken: Taken | "ours"): void => resume(Effect.succeed(taken))
    const child = spawn("flock", ["-n", "3"], { stdio: ["ignore", "ignore", "pipe", file] })
    let complaint = ""
    child.stderr!.on("data", (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(0, 200)))
    child.once("error", (error: NodeJS.ErrnoException) => answer(error.code === "ENOENT" ? noFlock : { ...noFlock, why: error.message }))
    child.once("close", (code) => {
      if (code === 0) answer("ours")
      else if (code === 1 && complaint === "") answer("held")
      else answer({ why: `flock failed: ${complaint.trim() || code}`, remedy: "Set K3_STATE_DIR to a folder on a local disk, or to none." })
    })
  })

export const layer: Layer.Layer<Lock> = Layer.succeed(Lock, {
  take: Effect.fnUntraced(function* (path) {
    const atOpen = locksAtOpen[process.platform]
    const it = yield* opened(path, atOpen ?? 0)
    if ("code" in it) return atOpen !== undefined && ["EAGAIN", "EWOULDBLOCK", "EBUSY"].includes(it.code) ? "held" : cannotOpen(it.code)
    const taken = atOpen === undefined ? yield* flock(it.file) : "ours"
    return taken === "ours" ? { isOurs: isStill(it.file, path) } : taken
  }),
})

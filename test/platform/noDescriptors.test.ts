/** S29 the lock of a state folder, when the system has no descriptor left for another process. */
import * as Effect from "effect/Effect"
import { EventEmitter } from "node:events"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished, vi } from "vitest"
import { Lock } from "../../src/store/folder/Lock.ts"
import { makeScratch } from "../lib/scratchFolder.ts"

vi.doMock(import("node:child_process"), async (original) => ({
  ...(await original()),
  // As Node does: the process has no streams, and its error comes later.
  spawn: (() => {
    const child = new EventEmitter()
    process.nextTick(() => child.emit("error", Object.assign(new Error("spawn flock EMFILE"), { code: "EMFILE" })))
    return child
  }) as never,
}))

it.skipIf(process.platform !== "linux")("is not taken, for a reason in words, and the server goes on", async () => {
  const folder = makeScratch()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  // Another test of this process may have loaded it with the real `spawn`.
  vi.resetModules()
  onTestFinished(() => {
    vi.doUnmock("node:child_process")
    vi.resetModules()
  })
  const NodeLock = await import("../../src/platform/NodeLock.ts")
  const taken = await Effect.runPromise(
    Effect.scoped(
      Effect.provide(
        Lock.use((lock) => lock.take(join(folder, "lock"))),
        NodeLock.layer,
      ),
    ),
  )
  expect(taken).toMatchObject({ why: "flock cannot be started: spawn flock EMFILE" })
})

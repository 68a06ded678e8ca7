/**
 * S29 the lock of a state folder: one process has it, whatever its version of Node, user or network namespace, and the system releases it when
 * the process dies.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { spawn, spawnSync } from "node:child_process"
import { createHash, pbkdf2 } from "node:crypto"
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Lock } from "../../src/store/folder/Lock.ts"
import * as NodeLock from "../../src/platform/NodeLock.ts"
import { scratch } from "../lib/stateFolder.ts"

const take = (file: string) =>
  Effect.provide(
    Lock.use((lock) => lock.take(file)),
    NodeLock.layer,
  )
const isTaken = Effect.map((taken: Effect.Success<ReturnType<typeof take>>) => typeof taken === "object" && "isOurs" in taken)

/** Another process that holds the lock until its input ends or it is killed. */
const holder = (file: string, before: readonly string[] = []) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const [command, ...rest] = [...before, "flock", "-n", file, "sh", "-c", "echo held; cat"] as const
      const child = spawn(command, rest, { stdio: ["pipe", "pipe", "ignore"], detached: true })
      const held = await new Promise<boolean>((resolve) => {
        child.stdout.once("data", () => resolve(true))
        child.once("exit", () => resolve(false))
      })
      const ended = new Promise<void>((resolve) => void (child.exitCode === null ? child.once("close", () => resolve()) : resolve()))
      return { held, child, ended }
    }),
    ({ child }) =>
      Effect.sync(() => {
        if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, "SIGKILL")
      }),
  )

/** The reason why the lock in a folder cannot be taken while programs are looked for in that folder alone. */
const reasonWithPath = (folder: string) => {
  const path = process.env["PATH"]
  return Effect.acquireUseRelease(
    Effect.sync(() => (process.env["PATH"] = folder)),
    () => Effect.map(take(join(folder, "lock")), (taken) => JSON.stringify(taken)),
    () => Effect.sync(() => (process.env["PATH"] = path)),
  )
}

const can = (command: string, ...args: readonly string[]): boolean => spawnSync(command, args, { stdio: "ignore" }).status === 0

describe.skipIf(process.platform !== "linux")("S29 the lock of a folder", () => {
  it.live("is held by one process, and free again when that process is killed", () =>
    Effect.gen(function* () {
      const file = join(yield* scratch, "lock")
      assert.isTrue(yield* isTaken(Effect.scoped(take(file))))
      const other = yield* holder(file)
      assert.isTrue(other.held)
      assert.strictEqual(yield* take(file), "held")
      process.kill(-other.child.pid!, "SIGKILL")
      yield* Effect.promise(() => other.ended)
      assert.isTrue(yield* isTaken(take(file)))
      assert.isFalse((yield* holder(file)).held)
      assert.strictEqual(yield* take(file), "held")
    }),
  )

  it.live("is free when its scope has closed, however busy Node's threads are", () =>
    Effect.gen(function* () {
      const file = join(yield* scratch, "lock")
      const scope = yield* Scope.make()
      assert.isTrue(yield* isTaken(Scope.provide(take(file), scope)))
      const busy = Array.from({ length: 4 }, () => promisify(pbkdf2)("", "", 200_000, 64, "sha512"))
      yield* Scope.close(scope, Exit.void)
      assert.isTrue((yield* holder(file)).held)
      yield* Effect.promise(() => Promise.all(busy))
    }),
  )

  const hasNamespaces = can("unshare", "-n", "true")
  it.live.skipIf(!hasNamespaces)(`holds between network namespaces${hasNamespaces ? "" : ": skipped, unshare -n is forbidden here"}`, () =>
    Effect.gen(function* () {
      const file = join(yield* scratch, "lock")
      const other = yield* holder(file, ["unshare", "-n"])
      assert.isTrue(other.held)
      assert.strictEqual(yield* take(file), "held")
    }),
  )

  it.live("cannot be taken by binding a predictable name", () =>
    Effect.gen(function* () {
      const folder = yield* scratch
      const name = `\0k3-mcp-${createHash("sha256").update(realpathSync(folder)).digest("hex").slice(0, 32)}`
      const squatter = createServer()
      yield* Effect.acquireRelease(
        Effect.promise(() => new Promise<void>((resolve) => squatter.listen(name, resolve))),
        () => Effect.sync(() => squatter.close()),
      )
      assert.isTrue(yield* isTaken(take(join(folder, "lock"))))
    }),
  )

  const isRoot = process.getuid?.() === 0 && can("setpriv", "--reuid", "65534", "--clear-groups", "true")
  it.live.skipIf(!isRoot)(`cannot be taken by another user${isRoot ? "" : ": skipped, only root can become another user"}`, () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "k3-mcp-lock-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      chmodSync(folder, 0o700)
      assert.isFalse((yield* holder(join(folder, "lock"), ["setpriv", "--reuid", "65534", "--clear-groups"])).held)
      assert.isTrue(yield* isTaken(take(join(folder, "lock"))))
    }),
  )

  it.live("is lost with its file, and a removed file is noticed", () =>
    Effect.gen(function* () {
      const file = join(yield* scratch, "lock")
      const taken = yield* take(file)
      const isOurs = typeof taken === "object" && "isOurs" in taken ? taken.isOurs : Effect.succeed(false)
      assert.isTrue(yield* isOurs)
      rmSync(file)
      assert.isFalse(yield* isOurs)
      writeFileSync(file, "")
      assert.isFalse(yield* isOurs)
    }),
  )

  it.live("that cannot be taken gives the reason and a remedy", () =>
    Effect.gen(function* () {
      const folder = yield* scratch
      symlinkSync(join(folder, "elsewhere"), join(folder, "link"))
      mkdirSync(join(folder, "folder/not-empty"), { recursive: true })
      for (const [file, why] of [
        ["link", /ELOOP/],
        ["folder", /cannot be removed unless it is empty: .*folder Remove that folder\.$/],
        ["none/lock", /ENOENT/],
      ] as const) {
        const taken = yield* take(join(folder, file))
        assert.match(typeof taken === "object" && "why" in taken ? `${taken.why} ${taken.remedy}` : "", why)
      }
      assert.match(yield* reasonWithPath(folder), /flock is not there.*Install util-linux/)
    }),
  )

  it.live("F4 whose flock never answers gives the reason and a remedy", () =>
    Effect.gen(function* () {
      const folder = yield* scratch
      writeFileSync(join(folder, "flock"), "#!/bin/sh\nkill -STOP $$", { mode: 0o700 })
      assert.match(yield* reasonWithPath(folder), /flock did not answer within 5000 ms.*on a local disk/)
    }),
  )
})

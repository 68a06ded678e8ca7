/** S20: shadow copies on a real file system. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeHash from "../../../src/platform/NodeHash.ts"
import { makeScratch } from "../../lib/scratchFolder.ts"
import { until } from "../../lib/waiting.ts"
import { Artifacts } from "../../../src/child/builds/Artifact.ts"
import { Machine } from "../../../src/child/Machine.ts"

const user = String(process.getuid?.() ?? "u")

/** A server with its own process id on a machine where the pids in `alive` run. `fs` may disturb a copy. */
const server = (temporaryFolder: string, serverPid: number, alive: readonly number[] = [], fs = NodeFileSystem.layer) =>
  Layer.fresh(Artifacts.layer).pipe(
    Layer.provide([
      fs,
      NodePath.layer,
      NodeHash.layer,
      Layer.succeed(Machine, {
        nodeProgram: "node",
        processors: 1,
        embeddedProgram: "k3.js",
        environment: {},
        temporaryFolder,
        windows: false,
        hostName: "host",
        user,
        serverPid,
        isAlive: (pid) => alive.includes(pid),
      }),
    ]),
  )

const withBuild = (body: (folder: string, temporary: string) => Effect.Effect<void, unknown>) =>
  Effect.acquireUseRelease(
    Effect.sync(makeScratch),
    (root) => {
      const folder = join(root, "build")
      mkdirSync(join(folder, "runtimes"), { recursive: true })
      writeFileSync(join(folder, "K3CSharp"), "#!/bin/sh\n", { mode: 0o755 })
      writeFileSync(join(folder, "K3CSharp.dll"), "one")
      writeFileSync(join(folder, "K3CSharp.IPC.dll"), "ipc")
      writeFileSync(join(folder, "runtimes", "a.so"), "a")
      return body(folder, root)
    },
    (root) => Effect.sync(() => rmSync(root, { recursive: true })),
  )

const source = (folder: string) => ({ folder, main: "K3CSharp.dll", mainOnly: false })
const shadowOf = (folder: string) => Effect.flatMap(Artifacts, ({ shadow }) => shadow(source(folder)))
const md5 = (text: string) => createHash("md5").update(text).digest("hex")

describe("S20 a shadow copy", () => {
  it.effect("is removed ten minutes after the last child that ran from it", () =>
    withBuild((folder, temporary) =>
      Effect.gen(function* () {
        const { hold } = yield* Artifacts
        const copy = yield* shadowOf(folder)
        const child = yield* Scope.make()
        yield* Scope.provide(hold(copy.folder), child)
        yield* TestClock.adjust("1 hour")
        assert.isTrue(existsSync(copy.folder))
        yield* Scope.close(child, Exit.void)
        yield* TestClock.adjust("9 minutes")
        assert.isTrue(existsSync(copy.folder))
        yield* TestClock.adjust("1 minute")
        yield* until(Effect.sync(() => !existsSync(copy.folder)))
        const again = yield* shadowOf(folder)
        assert.isTrue(existsSync(again.folder))
      }).pipe(Effect.provide(server(temporary, 1))),
    ),
  )

  it.live("holds every file, runs, is private, and is gone with its server", () =>
    withBuild((folder, temporary) =>
      Effect.gen(function* () {
        const copy = yield* Effect.gen(function* () {
          const shadow = yield* shadowOf(folder)
          assert.strictEqual(shadow.hash, md5("one"))
          for (const name of ["K3CSharp", "K3CSharp.dll", "K3CSharp.IPC.dll", "runtimes/a.so"])
            assert.strictEqual(readFileSync(join(shadow.folder, name), "utf8"), readFileSync(join(folder, name), "utf8"))
          assert.strictEqual(statSync(join(shadow.folder, "K3CSharp")).mode & 0o111, 0o111)
          assert.strictEqual(statSync(join(temporary, `k3-mcp-${user}`)).mode & 0o077, 0)
          return shadow.folder
        }).pipe(Effect.provide(server(temporary, 11)))
        assert.isFalse(existsSync(copy))
      }),
    ),
  )

  it.live("is one folder for the same content, another for changed content, and another for each server", () =>
    withBuild((folder, temporary) =>
      Effect.gen(function* () {
        const first = yield* shadowOf(folder)
        assert.strictEqual((yield* shadowOf(folder)).folder, first.folder)
        const other = yield* Effect.provide(shadowOf(folder), server(temporary, 22, [11]))
        assert.notStrictEqual(other.folder, first.folder)
        assert.isTrue(existsSync(first.folder))
        writeFileSync(join(folder, "K3CSharp.IPC.dll"), "changed")
        const second = yield* shadowOf(folder)
        assert.strictEqual(second.hash, first.hash)
        assert.notStrictEqual(second.folder, first.folder)
      }).pipe(Effect.provide(server(temporary, 11))),
    ),
  )

  it.live("is the same when only debugger symbols differ: no newer build", () =>
    withBuild((folder, temporary) =>
      Effect.gen(function* () {
        const { onDisk } = yield* Artifacts
        writeFileSync(join(folder, "K3CSharp.pdb"), "symbols")
        const before = yield* onDisk(source(folder))
        assert.isNotNull(before)
        writeFileSync(join(folder, "K3CSharp.pdb"), "symbols of another build")
        assert.deepStrictEqual(yield* onDisk(source(folder)), before)
        writeFileSync(join(folder, "K3CSharp.IPC.dll"), "changed")
        assert.notStrictEqual((yield* onDisk(source(folder)))?.content, before?.content)
      }).pipe(Effect.provide(server(temporary, 11))),
    ),
  )

  it.live("that was damaged is made again", () =>
    withBuild((folder, temporary) =>
      Effect.gen(function* () {
        const { folder: copy } = yield* shadowOf(folder)
        rmSync(join(copy, "K3CSharp.IPC.dll"))
        yield* shadowOf(folder)
        assert.strictEqual(readFileSync(join(copy, "K3CSharp.IPC.dll"), "utf8"), "ipc")
      }).pipe(Effect.provide(server(temporary, 11))),
    ),
  )

  it.live("of a dead server is removed; those of living servers and of other machines stay", () =>
    withBuild((folder, temporary) =>
      Effect.gen(function* () {
        const root = join(temporary, `k3-mcp-${user}`)
        for (const name of [
          "host-33-0123456789abcdef",
          "host-44-0123456789abcdef",
          "host-11-fedcba9876543210",
          "elsewhere-33-0123456789abcdef",
        ])
          mkdirSync(join(root, name), { recursive: true, mode: 0o700 })
        yield* shadowOf(folder)
        while (existsSync(join(root, "host-33-0123456789abcdef"))) yield* Effect.sleep(2)
        assert.isTrue(existsSync(join(root, "host-44-0123456789abcdef")))
        assert.isTrue(existsSync(join(root, "elsewhere-33-0123456789abcdef")))
        while (existsSync(join(root, "host-11-fedcba9876543210"))) yield* Effect.sleep(2)
      }).pipe(Effect.provide(server(temporary, 11, [44]))),
    ),
  )

  /** A file system on which the dll is rewritten behind the first `times` copies of it. */
  const rebuilding = (folder: string, times: number) =>
    Layer.effect(
      FileSystem.FileSystem,
      Effect.map(FileSystem.FileSystem, (fs) => {
        let copies = 0
        return {
          ...fs,
          copyFile: (from: string, to: string) =>
            Effect.tap(fs.copyFile(from, to), () =>
              Effect.sync(() => {
                if (from.endsWith("K3CSharp.dll") && copies++ < times) writeFileSync(join(folder, "K3CSharp.dll"), `build ${copies}`)
              }),
            ),
        }
      }),
    ).pipe(Layer.provide(NodeFileSystem.layer))

  it.live("of a build that is being written is repeated until it is whole", () =>
    withBuild((folder, temporary) =>
      Effect.gen(function* () {
        const shadow = yield* shadowOf(folder)
        assert.strictEqual(shadow.hash, md5("build 2"))
        assert.strictEqual(readFileSync(join(shadow.folder, "K3CSharp.dll"), "utf8"), "build 2")
      }).pipe(Effect.provide(server(temporary, 11, [], rebuilding(folder, 2)))),
    ),
  )

  it.live("leaves out a link that leads nowhere, such as an editor's lock", () =>
    withBuild((folder, temporary) =>
      Effect.gen(function* () {
        symlinkSync("me@host.1:2", join(folder, ".#K3CSharp.runtimeconfig.json"))
        const { onDisk } = yield* Artifacts
        const copy = yield* shadowOf(folder)
        assert.strictEqual((yield* onDisk(source(folder)))?.content, copy.content)
        assert.notInclude(copy.files, ".#K3CSharp.runtimeconfig.json")
      }).pipe(Effect.provide(server(temporary, 11))),
    ),
  )

  it.live("of a build that keeps changing is an error, not half a build", () =>
    withBuild((folder, temporary) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(shadowOf(folder))
        assert.deepInclude(error, { _tag: "BuildUnusable", folder })
        assert.include(error._tag === "BuildUnusable" ? error.reason : "", "kept changing")
      }).pipe(Effect.provide(server(temporary, 11, [], rebuilding(folder, 1000)))),
    ),
  )

  it.live("waits for a build whose main file is still empty", () =>
    withBuild((folder, temporary) =>
      Effect.gen(function* () {
        writeFileSync(join(folder, "K3CSharp.dll"), "")
        const waiting = yield* Effect.forkChild(shadowOf(folder))
        yield* Effect.yieldNow
        writeFileSync(join(folder, "K3CSharp.dll"), "whole")
        assert.strictEqual((yield* Fiber.join(waiting)).hash, md5("whole"))
        writeFileSync(join(folder, "K3CSharp.dll"), "")
        assert.deepInclude(yield* Effect.flip(shadowOf(folder)), { _tag: "BuildUnusable", reason: "its main file is empty" })
      }).pipe(Effect.provide(server(temporary, 11))),
    ),
  )

  it.live("of a missing build fails with the folder, or with the missing file", () =>
    withBuild((folder, temporary) =>
      Effect.gen(function* () {
        assert.deepInclude(yield* Effect.flip(shadowOf(join(folder, "none"))), { _tag: "BuildNotFound", missing: "the folder" })
        rmSync(join(folder, "K3CSharp.dll"))
        assert.deepInclude(yield* Effect.flip(shadowOf(folder)), { _tag: "BuildNotFound", folder, missing: "K3CSharp.dll" })
      }).pipe(Effect.provide(server(temporary, 11))),
    ),
  )
})

describe("S16 the build on disk", () => {
  it.live("changes with any of its files, keeps its name with its main file, and is null when that is missing", () =>
    withBuild((folder, temporary) =>
      Effect.gen(function* () {
        const { onDisk } = yield* Artifacts
        const first = yield* onDisk(source(folder))
        writeFileSync(join(folder, "K3CSharp.IPC.dll"), "longer than it was")
        const second = yield* onDisk(source(folder))
        assert.strictEqual(second?.hash, first?.hash)
        assert.notStrictEqual(second?.content, first?.content)
        assert.strictEqual((yield* onDisk({ ...source(folder), mainOnly: true }))?.hash, md5("one"))
        rmSync(join(folder, "K3CSharp.dll"))
        assert.isNull(yield* onDisk(source(folder)))
      }).pipe(Effect.provide(server(temporary, 11))),
    ),
  )
})

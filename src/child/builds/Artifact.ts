/**
 * Shadow copies of builds. A copy is a folder for one content, user and server, `<temp>/k3-mcp-<user>/<machine>-<server pid>-<content>`, so that
 * children lock no build and servers never touch each other's files.
 *
 * Guarantees: a copy holds one whole build, whose bytes did not change during the copying; otherwise the call fails with `BuildUnusable`. An
 * unused copy, whole or not, is removed after `idleTime`, all copies with the layer's scope, and copies of dead servers on this machine at the
 * first copy. Does not: notice a build whose writer paused half-way, or remove copies of other machines that share the folder. `buildFiles.ts`
 * names builds.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as RcMap from "effect/RcMap"
import type { PlatformError } from "effect/PlatformError"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { isShared, Machine } from "../Machine.ts"
import { type Build, make as makeBuildFiles, type BuildSource } from "./buildFiles.ts"
import { systemReason } from "../systemReason.ts"
import { BuildNotFound, BuildUnusable } from "../ChildError.ts"

export interface Shadow extends Build {
  readonly folder: string
  /** Paths relative to the folder. */
  readonly files: readonly string[]
}

/** An unused copy stays this long, so that a relaunch can use it. */
const idleTime = "10 minutes"
/** Tries while a build is being written, 100 ms apart. */
const copyAttempts = 20

export class Artifacts extends Context.Service<
  Artifacts,
  {
    /** The build on disk; null when its main file is missing or unreadable. Hashes again only after a change. */
    readonly onDisk: (source: BuildSource) => Effect.Effect<Build | null>
    /** Makes a shadow copy of the build on disk, or gives the present copy of the same content. */
    readonly shadow: (source: BuildSource) => Effect.Effect<Shadow, BuildNotFound | BuildUnusable>
    /** Keeps the copy in this folder until the scope closes. */
    readonly hold: (folder: string) => Effect.Effect<void, never, Scope.Scope>
  }
>()("k3-mcp/child/Artifacts") {
  static readonly layer = Layer.effect(
    Artifacts,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const machine = yield* Machine
      const scope = yield* Scope.Scope
      const { filesOf, hash, onDisk } = yield* makeBuildFiles

      const root = path.join(machine.temporaryFolder, `k3-mcp-${machine.user}`)
      const prefix = `${machine.hostName.replaceAll(/[^\w.]/g, "_")}-`
      const openRoot = Effect.fnUntraced(function* (folder: string) {
        yield* fs.makeDirectory(root, { recursive: true, mode: 0o700 })
        const { uid, mode } = yield* fs.stat(root)
        if (isShared(machine, { uid: Option.getOrUndefined(uid), mode }, 0o077))
          return yield* new BuildUnusable({ folder, reason: `${root} is open to other users` })
      })

      /** Removes copies of dead servers of this machine, as far as possible. */
      const sweep = Effect.gen(function* () {
        for (const name of yield* fs.readDirectory(root)) {
          const pid = name.startsWith(prefix) ? /^(\d+)-[0-9a-f]+$/.exec(name.slice(prefix.length))?.[1] : undefined
          const folder = path.join(root, name)
          if (pid === undefined || (yield* RcMap.has(mine, folder))) continue
          if (Number(pid) === machine.serverPid || !machine.isAlive(Number(pid))) yield* remove(folder)
        }
      }).pipe(Effect.ignore)
      const remove = (folder: string) => fs.remove(folder, { recursive: true, force: true }).pipe(Effect.ignore)

      /** The folders of this server's copies, present or being made. The removal of one is its finalizer. */
      const mine = yield* RcMap.make({ idleTimeToLive: idleTime, lookup: (folder: string) => Effect.addFinalizer(() => remove(folder)) })
      const hold = (folder: string) => RcMap.get(mine, folder)

      const swept = yield* Effect.cached(Effect.asVoid(Effect.forkIn(sweep, scope)))

      const copyOnce = Effect.fnUntraced(function* (source: BuildSource) {
        if (!(yield* fs.exists(source.folder))) return yield* new BuildNotFound({ folder: source.folder, missing: "the folder" })
        const files = yield* filesOf(source)
        if (!files.includes(source.main)) return yield* new BuildNotFound({ folder: source.folder, missing: source.main })
        const before = yield* hash(source, files)
        if (before.hash === emptyHash) return yield* new BuildUnusable({ folder: source.folder, reason: empty })
        const folder = path.join(root, `${prefix}${machine.serverPid}-${before.content.slice(0, 16)}`)
        const copy = { ...source, folder }
        const isMine = yield* RcMap.has(mine, folder)
        yield* hold(folder)
        if (isMine && (yield* onDisk(copy))?.content === before.content) return { ...before, folder, files }
        yield* remove(folder)
        for (const name of files) {
          const to = path.join(folder, name)
          yield* fs.makeDirectory(path.dirname(to), { recursive: true, mode: 0o700 })
          yield* fs.copyFile(path.join(source.folder, name), to)
        }
        const copied = yield* hash(copy, yield* filesOf(copy))
        const after = yield* hash(source, yield* filesOf(source))
        if (copied.content !== before.content || after.content !== before.content)
          return yield* new BuildUnusable({ folder: source.folder, reason: changing })
        return { ...before, folder, files }
      }, Effect.scoped)

      const shadow = Effect.fnUntraced(function* (source: BuildSource): Effect.fn.Return<Shadow, BuildNotFound | BuildUnusable> {
        const unusable = (error: PlatformError, reason = `${systemReason(error)} (${error.message})`) =>
          Effect.fail(new BuildUnusable({ folder: source.folder, reason }))
        return yield* openRoot(source.folder).pipe(
          Effect.andThen(swept),
          Effect.catchTag("PlatformError", (error) => unusable(error)),
          Effect.andThen(
            // A listed file is gone: the build is being written.
            Effect.catchTag(copyOnce(source), "PlatformError", (error) =>
              error.reason._tag === "NotFound" ? unusable(error, changing) : unusable(error),
            ),
          ),
          Effect.retry({
            schedule: Schedule.spaced("100 millis"),
            times: copyAttempts - 1,
            while: (error) => error._tag === "BuildUnusable" && (error.reason === changing || error.reason === empty),
          }),
        )
      })

      return Artifacts.of({ onDisk, shadow, hold })
    }),
  )
}

/** MD5 of no bytes: a main file whose writing has only begun. */
const emptyHash = "d41d8cd98f00b204e9800998ecf8427e"
const empty = "its main file is empty"
const changing = "its files kept changing while they were copied"

/**
 * The folder on disk that all rooms share for what is to outlive the server. Paths are relative to it, with `/` between their parts.
 *
 * Guarantees: nothing here fails or has to be asked for first: what cannot be done is `false`, `undefined` or an empty list, and becomes
 * a sentence of `trouble`. A file written is whole and durable when `true` comes back, and as before whenever the process or the machine
 * ended earlier. A file is never overwritten that is not understood: it is set aside under another name. One server works with a folder
 * at a time; the second one, or one without a folder, has `available` false, writes nothing and reads nothing. Files are for their owner
 * only. The folder is opened on first use, so a server that is never used makes none.
 *
 * Does not: order writes of the same path by two fibers, nor hold anything in memory: what must work without a folder has to be kept by
 * its owner.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import type * as Scope from "effect/Scope"
import { Settings } from "../../Settings.ts"
import type { Lock } from "./Lock.ts"
import { Machine } from "../../child/Machine.ts"
import * as durable from "./durable.ts"
import { blocks, type Form, sealed, unsealed } from "./stateFile.ts"
import { openFolder } from "./openFolder.ts"
import { systemReason } from "../../child/systemReason.ts"
import { Trouble } from "./Trouble.ts"

/** What is in a folder. */
export interface Item {
  readonly name: string
  readonly isFolder: boolean
  readonly bytes: number
  /** When it was last written, ms since 1970. */
  readonly at: number
}

export class StateFolder extends Context.Service<
  StateFolder,
  {
    /** Absolute; null when nothing is to be kept on disk. */
    readonly folder: string | null
    readonly available: Effect.Effect<boolean>
    /** Is there a file or folder of that name, whoever works with it? Opens nothing, and makes no folder. */
    readonly exists: (path: string) => Effect.Effect<boolean>
    /** Replaces a file by these lines, or leaves it as it is: temporary file, fsync, rename, fsync of its folder. Lines hold no line end. */
    readonly save: (path: string, form: Form, lines: Iterable<string>) => Effect.Effect<boolean>
    /**
     * The lines of a file that was saved; one of another kind, of a later version, damaged or cut short is set aside, and there are none.
     * `whole` is set aside instead of it: the folder of a thing that is nothing without this file.
     */
    readonly load: (path: string, form: Form, whole?: string) => Effect.Effect<readonly string[] | undefined>
    /** The same as `save` for content of any form. */
    readonly write: (path: string, parts: Iterable<string>) => Effect.Effect<boolean>
    /** Adds whole lines at the end, all of them or, when it fails, none. What a crash left without a line end is cut off. Makes the file. */
    readonly append: (path: string, lines: readonly string[]) => Effect.Effect<boolean>
    /** The bytes of a file, or some of them. */
    readonly read: (path: string, range?: { readonly from: number; readonly length: number }) => Effect.Effect<Uint8Array | undefined>
    /** By name; empty when there is no such folder. Files being written, and what was set aside, are not in it. */
    readonly list: (path: string) => Effect.Effect<readonly Item[]>
    /** A file, or a folder with all there is in it; true when it is not there any more, as durable as a write. */
    readonly remove: (path: string) => Effect.Effect<boolean>
    readonly rename: (from: string, to: string) => Effect.Effect<boolean>
    /** Puts a file or folder that is there and cannot be used under another name beside it, and says so. `why` is as in "it is damaged". */
    readonly setAside: (path: string, why: string) => Effect.Effect<void>
    /** What is wrong now, in sentences: for status. */
    readonly trouble: Effect.Effect<readonly string[]>
    /** Those that nobody has taken yet: for the next reply. */
    readonly takeTrouble: () => readonly string[]
  }
>()("k3-mcp/session/StateFolder") {
  static readonly layer = Layer.effect(
    StateFolder,
    Effect.gen(function* () {
      const { stateDir } = yield* Settings
      const fs = yield* FileSystem.FileSystem
      const paths = yield* Path.Path
      const { windows } = yield* Machine

      const trouble = new Trouble()
      const files = durable.make(fs, paths, !windows)

      const absolute = (path: string): string => paths.join(stateDir ?? "", ...path.split("/"))

      const context = yield* Effect.context<FileSystem.FileSystem | Path.Path | Lock | Machine | Scope.Scope>()
      const open = Effect.fnUntraced(function* (folder: string) {
        const problem = yield* Effect.provide(openFolder(folder), context)
        if (problem !== undefined) yield* trouble.complain("folder", problem)
        return problem === undefined
      })
      const opened = yield* Effect.cached(stateDir === null ? Effect.succeed(false) : open(stateDir))
      /** Whoever comes first opens it for all, so it is not left half-way by an interrupt. */
      const available = Effect.uninterruptible(opened)

      /** Without a folder `otherwise`, and when it fails too, which is told. */
      const using = <A>(
        path: string,
        doing: "written" | "listed",
        otherwise: A,
        effect: Effect.Effect<A, PlatformError>,
      ): Effect.Effect<A> =>
        Effect.flatMap(available, (there) =>
          there
            ? Effect.catchTag(effect, "PlatformError", (error) =>
                Effect.as(
                  trouble.complain(
                    `${doing} ${systemReason(error)}`,
                    `${absolute(path)} cannot be ${doing} (${systemReason(error)}). ${goesOn}.`,
                  ),
                  otherwise,
                ),
              )
            : Effect.succeed(otherwise),
        )

      const writing = (path: string, effect: Effect.Effect<void, PlatformError>): Effect.Effect<boolean> =>
        using(
          path,
          "written",
          false,
          Effect.map(effect, () => {
            trouble.isOver(writtenAbout)
            return true
          }),
        )

      const absent = (error: PlatformError): boolean => error.reason._tag === "NotFound"

      const setAside = (path: string, why: string): Effect.Effect<void> =>
        Effect.gen(function* () {
          if (!(yield* using(path, "listed", false, fs.exists(absolute(path))))) return
          const now = new Date(yield* Clock.currentTimeMillis).toISOString().replaceAll(/[-:]|\.\d+/g, "")
          const aside = `${path}.damaged-${now}`
          if (!(yield* rename(path, aside))) return
          yield* trouble.complain(path, `${absolute(path)} ${why}. It was put aside as ${aside.slice(aside.lastIndexOf("/") + 1)}.`)
        })

      /** Nothing when it is not there; set aside when it is there and cannot be read. */
      const reading = <A>(path: string, effect: Effect.Effect<A, PlatformError>): Effect.Effect<A | undefined> =>
        Effect.flatMap(available, (there) =>
          there
            ? Effect.catchTag(effect, "PlatformError", (error) =>
                Effect.as(absent(error) ? Effect.void : setAside(path, `cannot be read (${systemReason(error)})`), undefined),
              )
            : (Effect.void as Effect.Effect<undefined>),
        )

      const rename = (from: string, to: string) => writing(from, files.rename(absolute(from), absolute(to)))

      /** None when it is gone by now. */
      const itemOf = (path: string, name: string) =>
        Effect.map(fs.stat(absolute(`${path}/${name}`)), ({ type, size, mtime }): readonly Item[] => {
          const at = Option.match(mtime, { onNone: () => 0, onSome: Number })
          return [{ name, isFolder: type === "Directory", bytes: Number(size), at }]
        }).pipe(Effect.catchIf(absent, () => Effect.succeed([])))

      const itemsOf = Effect.fnUntraced(function* (path: string) {
        const names = yield* Effect.catchIf(fs.readDirectory(absolute(path)), absent, () => Effect.succeed([]))
        const ours = names.filter((name) => !name.endsWith(durable.draftEnding) && !isSetAside(name)).sort()
        return (yield* Effect.forEach(ours, (name) => itemOf(path, name))).flat()
      })

      const load = Effect.fnUntraced(function* (path: string, form: Form, whole = path) {
        const bytes = yield* reading(whole, fs.readFile(absolute(path)))
        if (bytes === undefined) return undefined
        const found = yield* unsealed(form, bytes)
        if (found._tag === "Success") return found.success
        yield* setAside(whole, whole === path ? found.failure : `cannot be used: ${path.slice(whole.length + 1)} ${found.failure}`)
        return undefined
      })

      return StateFolder.of({
        folder: stateDir,
        available,
        exists: (path) => (stateDir === null ? Effect.succeed(false) : Effect.orElseSucceed(fs.exists(absolute(path)), () => false)),
        save: (path, form, lines) =>
          writing(
            path,
            Effect.suspend(() => files.replace(absolute(path), sealed(form, lines))),
          ),
        load,
        write: (path, parts) =>
          writing(
            path,
            Effect.suspend(() => files.replace(absolute(path), blocks(parts))),
          ),
        append: (path, lines) =>
          writing(
            path,
            Effect.suspend(() => files.append(absolute(path), new TextEncoder().encode(lines.map((line) => `${line}\n`).join("")))),
          ),
        read: (path, range) =>
          reading(path, range === undefined ? fs.readFile(absolute(path)) : files.readRange(absolute(path), range.from, range.length)),
        list: (path) => using(path, "listed", [], itemsOf(path)),
        remove: (path) => writing(path, files.remove(absolute(path))),
        rename,
        setAside,
        trouble: Effect.sync(() => trouble.now),
        takeTrouble: () => trouble.take(),
      })
    }),
  )
}

const isSetAside = (name: string): boolean => /\.damaged-\d{8}T\d{6}Z$/.test(name)
const writtenAbout = "written "
const goesOn = "Work goes on; what is not on disk is gone when the server ends"

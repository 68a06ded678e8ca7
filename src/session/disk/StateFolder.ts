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
import * as Scope from "effect/Scope"
import { Settings } from "../../Settings.ts"
import { Lock } from "./Lock.ts"
import { Machine } from "../child/Machine.ts"
import { systemReason } from "./systemReason.ts"
import { blocks, type Form, sealed, unsealed } from "./stateFile.ts"

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
    /** Adds whole lines at the end and flushes them, all or, on a failure, none; what a crash left without a line end is cut off first. Makes the file. */
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
      const lock = yield* Lock
      const machine = yield* Machine
      const scope = yield* Scope.Scope

      /** What is wrong now, by what it is about. */
      const sentences = new Map<string, string>()
      /** A disk that is full off and on is told of once. */
      const told = new Set<string>()
      let untold: string[] = []
      const complain = (about: string, sentence: string) =>
        Effect.suspend(() => {
          sentences.set(about, sentence)
          if (told.has(about)) return Effect.void
          told.add(about)
          untold.push(sentence)
          return Effect.logWarning(sentence)
        })
      /** The disk takes writes again. */
      const recovered = (): void => {
        for (const about of sentences.keys()) if (about.startsWith(writtenAbout)) sentences.delete(about)
      }

      const absolute = (path: string): string => paths.join(stateDir ?? "", ...path.split("/"))

      const openFolder = Effect.fnUntraced(
        function* (folder: string) {
          yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
          const { mode, uid } = yield* fs.stat(folder)
          const foreign = Option.isSome(uid) && /^\d+$/.test(machine.user) && String(uid.value) !== machine.user
          if (!machine.windows && (foreign || (mode & 0o022) !== 0)) {
            const why = foreign ? "belongs to another user" : "may be written by other users"
            yield* complain("folder", `The state folder ${folder} ${why}: ${nothingKept}. Set K3_STATE_DIR to a folder of your own.`)
            return false
          }
          if (!(yield* Scope.provide(lock.take(yield* fs.realPath(folder)), scope))) {
            yield* complain(
              "folder",
              `Another k3-mcp server works with the state folder ${folder}: ${nothingKept} by this one. Another K3_STATE_DIR gives it a folder of its own.`,
            )
            return false
          }
          yield* sweep(folder)
          return true
        },
        (effect, folder) =>
          Effect.catchTag(effect, "PlatformError", (error) =>
            Effect.as(complain("folder", `The state folder ${folder} cannot be used (${systemReason(error)}): ${nothingKept}.`), false),
          ),
      )

      /** What was being written when an earlier server ended. */
      const sweep = (folder: string) =>
        Effect.flatMap(fs.readDirectory(folder, { recursive: true }), (names) =>
          Effect.forEach(
            names.filter((name) => name.endsWith(temporary)),
            (name) => fs.remove(paths.join(folder, name), { force: true }),
            { discard: true },
          ),
        )

      const opened = yield* Effect.cached(stateDir === null ? Effect.succeed(false) : openFolder(stateDir))
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
                  complain(`${doing} ${systemReason(error)}`, `${absolute(path)} cannot be ${doing} (${systemReason(error)}). ${goesOn}.`),
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
            recovered()
            return true
          }),
        )

      /** A new name, or one that is gone, is durable only when the folder it is in has been flushed; Windows does that by itself. */
      const flushFolder = (folder: string) =>
        machine.windows ? Effect.void : Effect.scoped(Effect.flatMap(fs.open(folder, { flag: "r" }), ({ sync }) => sync))

      const makeFolder = (folder: string) =>
        Effect.flatMap(fs.exists(folder), (there) =>
          there
            ? Effect.void
            : Effect.andThen(fs.makeDirectory(folder, { recursive: true, mode: 0o700 }), flushFolder(paths.dirname(folder))),
        )

      let written = 0
      const replace = Effect.fnUntraced(function* (path: string, parts: Iterable<Uint8Array>) {
        const target = absolute(path)
        const folder = paths.dirname(target)
        const draft = `${target}.${++written}${temporary}`
        yield* makeFolder(folder)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const file = yield* fs.open(draft, { flag: "w", mode: 0o600 })
            for (const part of parts) yield* file.writeAll(part)
            yield* file.sync
          }),
        ).pipe(
          Effect.andThen(fs.rename(draft, target)),
          Effect.onError(() => Effect.ignore(fs.remove(draft, { force: true }))),
        )
        yield* flushFolder(folder)
      })

      /** Logs whose end is known to be whole. */
      const whole = new Set<string>()
      const appendTo = Effect.fnUntraced(function* (path: string, text: Uint8Array) {
        const target = absolute(path)
        const fresh = !(yield* fs.exists(target))
        if (fresh) yield* makeFolder(paths.dirname(target))
        else if (!whole.has(path)) yield* cutTornLine(target)
        whole.delete(path)
        const before = fresh ? 0 : yield* sizeOf(target)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const file = yield* fs.open(target, { flag: "a", mode: 0o600 })
            yield* file.writeAll(text)
            yield* file.sync
          }),
          // Who is told that it failed adds the same lines again.
        ).pipe(Effect.onError(() => Effect.ignore(fs.truncate(target, before))))
        if (fresh) yield* flushFolder(paths.dirname(target))
        whole.add(path)
      })

      const readRange = Effect.fnUntraced(function* (target: string, from: number, length: number) {
        return yield* Effect.scoped(
          Effect.gen(function* () {
            const file = yield* fs.open(target, { flag: "r" })
            const bytes = new Uint8Array(length)
            let got = 0
            for (let more = 1; more > 0 && got < length; got += more)
              more = yield* file.read(bytes.subarray(got), { position: BigInt(from + got) })
            return bytes.subarray(0, got)
          }),
        )
      })

      const sizeOf = (target: string) => Effect.map(fs.stat(target), ({ size }) => Number(size))

      const cutTornLine = Effect.fnUntraced(function* (target: string) {
        const size = yield* sizeOf(target)
        let end = 0
        for (let at = size; at > 0 && end === 0; at -= block) {
          const from = Math.max(0, at - block)
          end = from + (yield* readRange(target, from, at - from)).lastIndexOf(lineEnd) + 1
          if (end === from) end = 0
        }
        if (end < size) yield* fs.truncate(target, end)
      })

      const absent = (error: PlatformError): boolean => error.reason._tag === "NotFound"

      const setAside = (path: string, why: string): Effect.Effect<void> =>
        Effect.gen(function* () {
          if (!(yield* using(path, "listed", false, fs.exists(absolute(path))))) return
          const now = new Date(yield* Clock.currentTimeMillis).toISOString().replaceAll(/[-:]|\.\d+/g, "")
          const aside = `${path}.damaged-${now}`
          if (!(yield* rename(path, aside))) return
          yield* complain(path, `${absolute(path)} ${why}. It was put aside as ${aside.slice(aside.lastIndexOf("/") + 1)}.`)
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

      const rename = (from: string, to: string) =>
        writing(
          from,
          Effect.gen(function* () {
            const target = absolute(to)
            yield* makeFolder(paths.dirname(target))
            yield* fs.rename(absolute(from), target)
            whole.delete(from)
            yield* flushFolder(paths.dirname(target))
            if (paths.dirname(absolute(from)) !== paths.dirname(target)) yield* flushFolder(paths.dirname(absolute(from)))
          }),
        )

      const itemOf = Effect.fnUntraced(function* (path: string, name: string) {
        const { type, size, mtime } = yield* fs.stat(absolute(`${path}/${name}`))
        return { name, isFolder: type === "Directory", bytes: Number(size), at: Option.match(mtime, { onNone: () => 0, onSome: Number }) }
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
            Effect.suspend(() => replace(path, sealed(form, lines))),
          ),
        load,
        write: (path, parts) =>
          writing(
            path,
            Effect.suspend(() => replace(path, blocks(parts))),
          ),
        append: (path, lines) =>
          writing(
            path,
            Effect.suspend(() => appendTo(path, new TextEncoder().encode(lines.map((line) => `${line}\n`).join("")))),
          ),
        read: (path, range) =>
          reading(
            path,
            range === undefined ? fs.readFile(absolute(path)) : Effect.suspend(() => readRange(absolute(path), range.from, range.length)),
          ),
        list: (path) =>
          using(
            path,
            "listed",
            [],
            fs.readDirectory(absolute(path)).pipe(
              Effect.flatMap((names) =>
                Effect.forEach(names.filter((name) => !name.endsWith(temporary) && !isSetAside(name)).sort(), (name) => itemOf(path, name)),
              ),
              Effect.catchIf(absent, () => Effect.succeed([])),
            ),
          ),
        remove: (path) =>
          writing(
            path,
            Effect.gen(function* () {
              whole.delete(path)
              const target = absolute(path)
              if (!(yield* fs.exists(target))) return
              yield* fs.remove(target, { recursive: true, force: true })
              yield* flushFolder(paths.dirname(target))
            }),
          ),
        rename,
        setAside,
        trouble: Effect.sync(() => [...sentences.values()]),
        takeTrouble: () => {
          const all = untold
          untold = []
          return all
        },
      })
    }),
  )
}

const temporary = ".tmp"
const isSetAside = (name: string): boolean => /\.damaged-\d{8}T\d{6}Z$/.test(name)
const writtenAbout = "written "
const block = 64 * 1024
const lineEnd = 10
const nothingKept = "nothing is kept on disk"
const goesOn = "Work goes on; what is not on disk is gone when the server ends"

/**
 * The state folder, which outlives the server. Paths are relative to it, with `/` between their parts.
 *
 * Guarantees: no operation fails or needs a prior check. An operation that cannot be done gives `false`, `undefined` or an empty list, and adds
 * a sentence to `trouble`. After `true`, a written file is whole and durable; when the process or the machine ends earlier, the old file is
 * there. An unusable file is never overwritten: it is set aside under another name; if that fails, or the file cannot be read for the moment,
 * writing to its path is refused. No path leads out of the folder. While the folder cannot be opened or another server has it
 * (`possession.ts`), `available` is false and nothing is read or written. A stored session whose name this server used before it read the folder
 * gets another name. Files are readable for their owner only.
 *
 * Does not: order writes of the same path by two fibers, or keep data in memory.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { badArgument, type PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"
import { Settings } from "../../Settings.ts"
import { monotonic } from "../../elapsed.ts"
import { Machine } from "../../child/Machine.ts"
import { DurableFiles } from "./DurableFiles.ts"
import { type Form, sealed, unsealed } from "../sealed.ts"
import { atOnce, isAside, isDraft, partsOf, renamed, sessionFolder, sessionIn } from "./layout.ts"
import { codeOf, systemReason } from "../../child/systemReason.ts"
import { makePossession } from "./possession.ts"
import { RefusedWrites } from "../RefusedWrites.ts"
import { Trouble } from "../Trouble.ts"

/** A file or folder in a list. */
export interface FolderItem {
  readonly name: string
  readonly isFolder: boolean
  readonly bytes: number
}

export class StateFolder extends Context.Service<
  StateFolder,
  {
    /** Absolute path; null when the settings turn the store off. */
    readonly folder: string | null
    readonly available: Effect.Effect<boolean>
    /** Whether a file or folder exists, even while another server has the state folder. Opens and makes nothing. */
    readonly exists: (path: string) => Effect.Effect<boolean>
    /** Replaces a file, or leaves it unchanged: temporary file, fsync, rename, fsync of its folder. The lines contain no line ends. */
    readonly save: (path: string, form: Form, lines: Iterable<string>) => Effect.Effect<boolean>
    /**
     * The lines of a saved file. A file of another kind, of a later version, damaged or cut short is set aside, and the result is undefined.
     * `whole`: a folder that is set aside instead, because it is useless without this file.
     */
    readonly load: (path: string, form: Form, whole?: string) => Effect.Effect<readonly string[] | undefined>
    /**
     * Adds whole lines at the end: all of them or, on failure, none. Makes the file. A last line without a line end, left by a crash, is cut off
     * unless it is complete JSON.
     */
    readonly append: (path: string, lines: readonly string[]) => Effect.Effect<boolean>
    readonly read: (path: string) => Effect.Effect<Uint8Array | undefined>
    /** Sorted by name; empty for a missing folder. Without files being written, and without files set aside. */
    readonly list: (path: string) => Effect.Effect<readonly FolderItem[]>
    /** Removes a file, or a folder with its content. After `true` the removal is durable. */
    readonly remove: (path: string) => Effect.Effect<boolean>
    /** Renames an unusable file or folder, and adds a sentence to `trouble`. `why` completes "it …", such as "is damaged". */
    readonly setAside: (path: string, why: string) => Effect.Effect<void>
    /** Number of takeovers from another server. After each one, earlier readings are incomplete. */
    readonly takeovers: () => number
    /** Waits for the next takeover. */
    readonly takenOver: Effect.Effect<void>
    /** The present problems in sentences, for status. */
    readonly trouble: Effect.Effect<readonly string[]>
    /** Takes the problems that no reply has reported yet. */
    readonly takeTrouble: () => readonly string[]
  }
>()("k3-mcp/store/StateFolder") {
  static readonly layer = Layer.effect(
    StateFolder,
    Effect.gen(function* () {
      const { stateDir } = yield* Settings
      const fs = yield* FileSystem.FileSystem
      const paths = yield* Path.Path
      const { windows } = yield* Machine

      const trouble = new Trouble()
      const files = new DurableFiles(fs, paths, !windows)

      /** Makes the absolute path; fails for a path that is not valid in the state folder. */
      const placeOf = (path: string): Effect.Effect<string, PlatformError> => {
        const parts = partsOf(path)
        return parts === undefined
          ? Effect.fail(
              badArgument({
                module: "FileSystem",
                method: "path",
                description: `${JSON.stringify(path.slice(0, 80))} is no path of the state folder`,
              }),
            )
          : Effect.succeed(paths.join(stateDir ?? "", ...parts))
      }
      /** The absolute path in messages. */
      const shown = (path: string): string => paths.join(stateDir ?? "", path)

      /** Renames the stored session of the other server, since this server has used the same name. */
      const putBeside = Effect.fnUntraced(function* (path: string): Effect.fn.Return<string | undefined, PlatformError> {
        const from = yield* placeOf(path)
        if (!(yield* fs.exists(from))) return undefined
        const session = sessionIn(path)
        let number = 2
        while (yield* Effect.flatMap(placeOf(sessionFolder(renamed(session, number))), fs.exists)) number++
        const name = renamed(session, number)
        yield* files.rename(from, yield* placeOf(sessionFolder(name)))
        return `${session} is session ${name} now`
      })

      const { available, isOurs, note, takeovers, takenOver } = yield* makePossession({
        folder: stateDir,
        makeFolder: files.makeFolder,
        trouble,
        beside: (path) =>
          putBeside(path).pipe(
            Effect.catch((error) =>
              Effect.as(keep(path, `is of another server and cannot be renamed (${systemReason(error)})`, Effect.void), undefined),
            ),
          ),
      })

      /** Whether the folder is available. Notes the path for a takeover. */
      const usable = (path: string): Effect.Effect<boolean> =>
        Effect.tap(
          available,
          Effect.sync(() => note(path)),
        )

      const refused = new RefusedWrites(yield* monotonic)

      /** Runs an effect on a path. Gives `otherwise` when the folder is not available, or when the effect fails, which is reported. */
      const using = Effect.fnUntraced(function* <A>(
        path: string,
        doing: "written" | "removed" | "listed",
        otherwise: A,
        effect: (place: string) => Effect.Effect<A, PlatformError>,
      ) {
        if (!(yield* usable(path))) return otherwise
        return yield* placeOf(path).pipe(
          Effect.flatMap(effect),
          Effect.catch((error) => {
            const why = systemReason(error)
            if (doing === "written") refused.add(path)
            return Effect.as(trouble.report(`${doing} ${why}`, `${shown(path)} cannot be ${doing} (${why}). ${goesOn}.`), otherwise)
          }),
        )
      })

      /** Paths of unusable files that could not be set aside or read, each with another attempt. They are not overwritten. */
      const untouchable = new Map<string, Effect.Effect<unknown>>()
      const untouchableAt = (path: string) =>
        Array.from(untouchable).filter(([each]) => each === path || each.startsWith(`${path}/`) || path.startsWith(`${each}/`))

      const writing = Effect.fnUntraced(function* (
        path: string,
        effect: (place: string) => Effect.Effect<unknown, PlatformError>,
        doing: "written" | "removed" = "written",
      ) {
        if (untouchableAt(path).length > 0) return false
        if (yield* isOurs)
          return yield* using(path, doing, false, (place) =>
            Effect.map(effect(place), (done) => {
              const isOver = refused.forget((each) => `${each}/`.startsWith(`${path}/`))
              // The removal of a missing file does not show that the disk takes changes.
              if (done !== false && isOver) for (const about of ["written ", "removed "]) trouble.resolve(about)
              return true
            }),
          )
        note(path)
        return false
      })

      const absent = (error: PlatformError): boolean => error.reason._tag === "NotFound"

      const keep = (path: string, why: string, again: Effect.Effect<unknown>): Effect.Effect<void> => {
        untouchable.set(path, again)
        return trouble.report(keptAbout(path), `${shown(path)} ${why}. Nothing is written over it. ${goesOn}.`)
      }

      const letGo = (path: string): void => {
        untouchable.delete(path)
        trouble.resolve(keptAbout(path))
      }

      const setAside: (path: string, why: string) => Effect.Effect<void> = Effect.fnUntraced(function* (path, why) {
        if (!(yield* isOurs)) return
        if (!(yield* using(path, "listed", true, fs.exists))) return letGo(path)
        const time = new Date(yield* Clock.currentTimeMillis).toISOString()
        const moved = yield* Effect.result(Effect.flatMap(placeOf(path), (place) => files.setAside(place, time)))
        if (moved._tag === "Failure")
          return yield* keep(path, `${why}, and cannot be put aside (${systemReason(moved.failure)})`, setAside(path, why))
        letGo(path)
        yield* trouble.report(path, `${shown(path)} ${why}. It was put aside as ${moved.success}.`)
      })

      /** Reads a file; undefined when it is missing. An unreadable one is set aside with `whole`, unless the error may be temporary. */
      const reading: (path: string, whole: string) => Effect.Effect<Uint8Array | undefined> = Effect.fnUntraced(function* (path, whole) {
        if (!(yield* usable(path))) return undefined
        return yield* placeOf(path).pipe(
          Effect.flatMap(fs.readFile),
          Effect.catchIf(absent, () => Effect.undefined),
          Effect.tap(Effect.sync(() => letGo(whole))),
          Effect.catch((error) => {
            const why = `cannot be read (${systemReason(error)})`
            return Effect.as(isPassing(error) ? keep(whole, why, reading(path, whole)) : setAside(whole, why), undefined)
          }),
        )
      })

      /** The entry of a list; none when the file is gone by now. */
      const itemOf = (place: string, name: string) =>
        Effect.map(fs.lstat(paths.join(place, name)), ({ type, size }): readonly FolderItem[] =>
          type === "SymbolicLink" ? [] : [{ name, isFolder: type === "Directory", bytes: Number(size) }],
        ).pipe(Effect.catchIf(absent, () => Effect.succeed([])))

      const itemsOf = Effect.fnUntraced(function* (place: string) {
        const names = yield* Effect.catchIf(fs.readDirectory(place), absent, () => Effect.succeed([]))
        const ours = names.filter((name) => partsOf(name)?.length === 1 && !isDraft(name) && !isAside(name)).sort()
        return (yield* Effect.forEach(ours, (name) => itemOf(place, name), { concurrency: atOnce })).flat()
      })

      const load = Effect.fnUntraced(function* (path: string, form: Form, whole = path) {
        const bytes = yield* reading(path, whole)
        if (bytes === undefined) return undefined
        const found = yield* unsealed(form, bytes)
        if (found._tag === "Success") return found.success
        yield* setAside(whole, whole === path ? found.failure : `cannot be used: ${path.slice(whole.length + 1)} ${found.failure}`)
        return undefined
      })

      return StateFolder.of({
        folder: stateDir,
        available,
        exists: (path) =>
          stateDir === null ? Effect.succeed(false) : Effect.orElseSucceed(Effect.flatMap(placeOf(path), fs.exists), () => false),
        save: (path, form, lines) => writing(path, (place) => files.replace(place, sealed(form, lines))),
        load,
        append: (path, lines) =>
          writing(path, (place) => files.append(place, utf8.encode(lines.map((line) => `${line}\n`).join("")), isJson)),
        read: (path) => reading(path, path),
        list: (path) => using(path, "listed", [], itemsOf),
        remove: (path) =>
          Effect.andThen(
            Effect.suspend(() => Effect.forEach(untouchableAt(path), ([, again]) => again)),
            writing(path, files.remove, "removed"),
          ),
        setAside,
        takeovers,
        takenOver,
        trouble: Effect.sync(() => trouble.now),
        takeTrouble: () => trouble.take(),
      })
    }),
  )
}

/** Whether an error may be temporary, such as a lack of memory or open files. */
const isPassing = (error: PlatformError): boolean => ["EMFILE", "ENFILE", "ENOMEM", "EIO", "EAGAIN", "EINTR"].includes(codeOf(error) ?? "")

const utf8 = new TextEncoder()
/** Whether a text is complete JSON. An object that was cut short is not. */
const isJson = (text: Uint8Array): boolean => Result.isSuccess(Result.try(() => JSON.parse(new TextDecoder().decode(text)) as unknown))

/** The space at the end: the subject begins no other path's. */
const keptAbout = (path: string): string => `kept ${path} `
const goesOn = "Work goes on; what is not on disk is gone when the server ends"

/**
 * The folder on disk for what is to outlive the server. Paths are relative to it, with `/` between their parts.
 *
 * Guarantees: nothing here fails or has to be asked for first: what cannot be done is `false`, `undefined` or an empty list, and becomes
 * a sentence of `trouble`. A file written is whole and durable when `true` comes back, and as before whenever the process or the machine
 * ended earlier. A file is never overwritten that is not understood: it is set aside under another name, and where that cannot be done,
 * or a file cannot be read at the moment, nothing is written over it. No path leads out of the folder. Where it is not
 * ours (`possession.ts`), `available` is false, and nothing is written or read; what another server kept of a session that this one has worked
 * in gets another name beside it when the folder is taken over. Files are for their owner only.
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
import { badArgument, type PlatformError } from "effect/PlatformError"
import * as Result from "effect/Result"
import { Settings } from "../../Settings.ts"
import { Machine } from "../../child/Machine.ts"
import * as durable from "./durable.ts"
import { type Form, sealed, unsealed } from "../sealed.ts"
import { isAside, isDraft, partsOf, renamed, sessionFolder, sessionIn } from "./layout.ts"
import { systemReason } from "../../child/systemReason.ts"
import { makePossession } from "./possession.ts"
import { Trouble } from "../Trouble.ts"

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
    /**
     * Adds whole lines at the end, all of them or, when it fails, none. What a crash left without a line end is cut off, unless it is JSON
     * and so lacks nothing else. Makes the file.
     */
    readonly append: (path: string, lines: readonly string[]) => Effect.Effect<boolean>
    readonly read: (path: string) => Effect.Effect<Uint8Array | undefined>
    /** By name; empty when there is no such folder. Files being written, and what was set aside, are not in it. */
    readonly list: (path: string) => Effect.Effect<readonly Item[]>
    /** A file, or a folder with all there is in it; true when it is not there any more, as durable as a write. */
    readonly remove: (path: string) => Effect.Effect<boolean>
    /** Puts a file or folder that is there and cannot be used under another name beside it, and says so. `why` is as in "it is damaged". */
    readonly setAside: (path: string, why: string) => Effect.Effect<void>
    /** How often the folder was taken over from another server: what was read before is not all there is. */
    readonly takeovers: () => number
    /** Waits for the next time. */
    readonly takenOver: Effect.Effect<void>
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

      /** Every path below the folder is made here. */
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
      /** For people. */
      const shown = (path: string): string => paths.join(stateDir ?? "", path)

      /** What the other server kept of a session that this one has worked in, too, stays under another name. */
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

      const { available, isOurs, missing, takeovers, takenOver } = yield* makePossession({
        folder: stateDir,
        makeFolder: files.makeFolder,
        trouble,
        beside: (path) =>
          putBeside(path).pipe(
            Effect.catch((error) =>
              Effect.as(keep(path, `is of another server and cannot be renamed (${systemReason(error)})`), undefined),
            ),
          ),
      })

      /** Can what is at the path be used? */
      const usable = (path: string): Effect.Effect<boolean> =>
        Effect.map(available, (yes) => {
          if (!yes) missing(path)
          return yes
        })

      /** Without a folder `otherwise`, and when it fails too, which is told. */
      const using = <A>(
        path: string,
        doing: "written" | "listed",
        otherwise: A,
        effect: (place: string) => Effect.Effect<A, PlatformError>,
      ): Effect.Effect<A> =>
        Effect.gen(function* () {
          if (!(yield* usable(path))) return otherwise
          const done = yield* Effect.result(Effect.flatMap(placeOf(path), effect))
          if (done._tag === "Success") return done.success
          const why = systemReason(done.failure)
          yield* trouble.complain(`${doing} ${why}`, `${shown(path)} cannot be ${doing} (${why}). ${goesOn}.`)
          return otherwise
        })

      /** What is there, cannot be used and could not be set aside: nothing is written over it. */
      const untouchable = new Set<string>()
      const isUntouchable = (path: string): boolean =>
        [...untouchable].some((each) => each === path || each.startsWith(`${path}/`) || path.startsWith(`${each}/`))

      const writing = (path: string, effect: (place: string) => Effect.Effect<void, PlatformError>): Effect.Effect<boolean> =>
        isUntouchable(path)
          ? Effect.succeed(false)
          : Effect.flatMap(Effect.uninterruptible(isOurs), (ours) =>
              ours
                ? using(path, "written", false, (place) =>
                    Effect.map(effect(place), () => {
                      trouble.isOver(writtenAbout)
                      return true
                    }),
                  )
                : Effect.sync(() => {
                    missing(path)
                    return false
                  }),
            )

      const absent = (error: PlatformError): boolean => error.reason._tag === "NotFound"

      const keep = (path: string, why: string): Effect.Effect<void> => {
        untouchable.add(path)
        return trouble.complain(path, `${shown(path)} ${why}. Nothing is written over it. ${goesOn}.`)
      }

      const setAside = (path: string, why: string): Effect.Effect<void> =>
        Effect.gen(function* () {
          if (!(yield* using(path, "listed", true, fs.exists))) return
          const now = new Date(yield* Clock.currentTimeMillis).toISOString()
          const moved = yield* Effect.result(Effect.flatMap(placeOf(path), (place) => files.setAside(place, now)))
          if (moved._tag === "Failure") return yield* keep(path, `${why}, and cannot be put aside (${systemReason(moved.failure)})`)
          untouchable.delete(path)
          yield* trouble.complain(path, `${shown(path)} ${why}. It was put aside as ${moved.success}.`)
        })

      /** Nothing when it is not there; set aside when it is there and cannot be read, unless that may pass. */
      const reading = <A>(
        path: string,
        whole: string,
        effect: (place: string) => Effect.Effect<A, PlatformError>,
      ): Effect.Effect<A | undefined> =>
        Effect.gen(function* () {
          if (!(yield* usable(path))) return undefined
          const found = yield* Effect.result(Effect.flatMap(placeOf(path), effect))
          if (found._tag === "Success") {
            untouchable.delete(whole)
            return found.success
          }
          if (absent(found.failure)) return undefined
          const why = `cannot be read (${systemReason(found.failure)})`
          yield* isPassing(found.failure) ? keep(whole, why) : setAside(whole, why)
          return undefined
        })

      /** None when it is gone by now. */
      const itemOf = (place: string, name: string) =>
        Effect.map(fs.lstat(paths.join(place, name)), ({ type, size, mtime }): readonly Item[] => {
          if (type === "SymbolicLink") return []
          const at = Option.match(mtime, { onNone: () => 0, onSome: Number })
          return [{ name, isFolder: type === "Directory", bytes: Number(size), at }]
        }).pipe(Effect.catchIf(absent, () => Effect.succeed([])))

      const itemsOf = Effect.fnUntraced(function* (place: string) {
        const names = yield* Effect.catchIf(fs.readDirectory(place), absent, () => Effect.succeed([]))
        const ours = names.filter((name) => partsOf(name)?.length === 1 && !isDraft(name) && !isAside(name)).sort()
        return (yield* Effect.forEach(ours, (name) => itemOf(place, name))).flat()
      })

      const load = Effect.fnUntraced(function* (path: string, form: Form, whole = path) {
        const bytes = yield* reading(path, whole, fs.readFile)
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
        read: (path) => reading(path, path, fs.readFile),
        list: (path) => using(path, "listed", [], itemsOf),
        remove: (path) => writing(path, files.remove),
        setAside,
        takeovers,
        takenOver,
        trouble: Effect.sync(() => trouble.now),
        takeTrouble: () => trouble.take(),
      })
    }),
  )
}

/** A system that is short of something now may have it later. */
const isPassing = ({ reason }: PlatformError): boolean =>
  ["EMFILE", "ENFILE", "ENOMEM", "EIO", "EAGAIN", "EINTR"].includes(String((reason.cause as { readonly code?: unknown } | undefined)?.code))

const utf8 = new TextEncoder()
/** An object of JSON that was cut short is none. */
const isJson = (text: Uint8Array): boolean => Result.isSuccess(Result.try(() => JSON.parse(new TextDecoder().decode(text)) as unknown))

const writtenAbout = "written "
const goesOn = "Work goes on; what is not on disk is gone when the server ends"

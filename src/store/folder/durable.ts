/**
 * Files that are whole and durable, over any file system; absolute paths.
 *
 * Guarantees: a file that is replaced is the old one or the new one, and an append that fails leaves the lines that were there, whenever
 * the process or the machine ends; when an effect here has succeeded, the disk has it, with every folder that was made for it. Files are
 * for their owner only. Does not: order writes of the same path.
 */
import * as Effect from "effect/Effect"
import type { FileSystem } from "effect/FileSystem"
import type { Path } from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import { asideOf, draftOf } from "./layout.ts"

/** Files and folders whose state is remembered; others are looked at again. */
const mostRemembered = 1000

const block = 64 * 1024
const lineEnd = 10

/** `flushes`: a new name, or one that is gone, is durable only when the folder it is in has been flushed; Windows does that by itself. */
export const make = (fs: FileSystem, paths: Path, flushes: boolean) => {
  let drafts = 0
  /** Files whose end is known to be whole. */
  const whole = new Set<string>()
  /** Folders that are durable, with all above them. */
  const settled = new Set<string>()

  const remember = (set: Set<string>, path: string): void => {
    if (set.size >= mostRemembered) set.clear()
    set.add(path)
  }

  const flushFolder = (folder: string) =>
    flushes ? Effect.scoped(Effect.flatMap(fs.open(folder, { flag: "r" }), ({ sync }) => sync)) : Effect.void

  /**
   * From the outermost inwards, each durable in its parent before the next one is made; once in this process also what is there already,
   * since an earlier one may have died before it came to that. A folder that others made may have a parent that cannot be opened.
   */
  const makeFolder: (folder: string) => Effect.Effect<void, PlatformError> = Effect.fnUntraced(function* (folder: string) {
    const there = yield* fs.exists(folder)
    if (there && settled.has(folder)) return
    const parent = paths.dirname(folder)
    if (parent === folder) return
    yield* makeFolder(parent)
    // Not with `recursive`, which in Node goes round for ever where the system denies a parent that is there, as under `/proc`.
    if (!there) yield* Effect.catchReason(fs.makeDirectory(folder, { mode: 0o700 }), "PlatformError", "AlreadyExists", () => Effect.void)
    yield* there ? Effect.ignore(flushFolder(parent)) : flushFolder(parent)
    remember(settled, folder)
  })

  const put = (target: string, flag: "w" | "wx" | "a", parts: Iterable<Uint8Array>) =>
    Effect.scoped(
      Effect.gen(function* () {
        const file = yield* fs.open(target, { flag, mode: 0o600 })
        for (const part of parts) yield* file.writeAll(part)
        yield* file.sync
      }),
    )

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

  /** Bytes of a file up to the end of its last line, and what follows. */
  const endOf = Effect.fnUntraced(function* (target: string) {
    const size = Number((yield* fs.stat(target)).size)
    if (whole.has(target)) return { end: size, rest: new Uint8Array() }
    let end = 0
    for (let at = size; at > 0 && end === 0; at -= block) {
      const from = Math.max(0, at - block)
      end = from + (yield* readRange(target, from, at - from)).lastIndexOf(lineEnd) + 1
      if (end === from) end = 0
    }
    return { end, rest: yield* readRange(target, end, size - end) }
  })

  return {
    makeFolder,

    replace: Effect.fnUntraced(function* (target: string, parts: Iterable<Uint8Array>) {
      const folder = paths.dirname(target)
      const draft = draftOf(target, ++drafts)
      yield* makeFolder(folder)
      yield* put(draft, "wx", parts).pipe(
        Effect.andThen(fs.rename(draft, target)),
        Effect.onError(() => Effect.ignore(fs.remove(draft, { force: true }))),
      )
      yield* flushFolder(folder)
    }),

    /**
     * `text` is whole lines; none of them is there when it fails. What a crash left without a line end is cut off, or given one when
     * `isLine` says that it lacks nothing else.
     */
    append: Effect.fnUntraced(function* (target: string, text: Uint8Array, isLine: (text: Uint8Array) => boolean) {
      const folder = paths.dirname(target)
      const isNew = !(yield* fs.exists(target))
      const isKnown = whole.has(target)
      yield* makeFolder(folder)
      const { end, rest } = isNew ? { end: 0, rest: new Uint8Array() } : yield* endOf(target)
      const completes = rest.length > 0 && isLine(rest)
      const before = completes ? end + rest.length : end
      if (rest.length > 0 && !completes) yield* fs.truncate(target, end)
      whole.delete(target)
      // Who is told that it failed adds the same lines again.
      yield* Effect.andThen(
        put(target, "a", completes ? [Uint8Array.of(lineEnd), text] : [text]),
        !isKnown ? flushFolder(folder) : Effect.void,
      ).pipe(Effect.onError(() => Effect.ignore(fs.truncate(target, before))))
      remember(whole, target)
    }),

    /** A file or a folder with all there is in it; nothing happens when it is not there. */
    remove: Effect.fnUntraced(function* (target: string) {
      whole.delete(target)
      const folder = paths.dirname(target)
      if (yield* fs.exists(target)) yield* fs.remove(target, { recursive: true, force: true })
      else if (!(yield* fs.exists(folder))) return
      // Whoever removed it may have died before that was durable.
      yield* flushFolder(folder)
    }),

    rename: Effect.fnUntraced(function* (from: string, to: string) {
      yield* fs.rename(from, to)
      for (const path of whole) if (path.startsWith(from)) whole.delete(path)
      yield* flushFolder(paths.dirname(to))
    }),

    /** Gives it another name beside where it is; `now` is an ISO time. Gives the name. */
    setAside: Effect.fnUntraced(function* (target: string, now: string) {
      let aside = asideOf(target, now, 0)
      for (let again = 1; yield* fs.exists(aside); again++) aside = asideOf(target, now, again)
      yield* fs.rename(target, aside)
      whole.delete(target)
      yield* flushFolder(paths.dirname(target))
      return paths.basename(aside)
    }),
  }
}

/**
 * Atomic and durable file operations over any file system. Paths are absolute.
 *
 * Guarantees: whenever the process or the machine ends, a replaced file is the old one or the new one, and a failed append leaves the earlier
 * lines. When an operation has succeeded, its file and all folders made for it are on the disk. Files are readable for their owner only. Does
 * not: order writes of the same path.
 */
import * as Effect from "effect/Effect"
import type { FileSystem } from "effect/FileSystem"
import type { Path } from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import { asideOf, draftOf } from "./layout.ts"

/** Number of files and folders whose state is remembered. The state of others is read again. */
const mostRemembered = 1000

const block = 64 * 1024
const lineEnd = 10

/** `flushes`: a new or removed name is durable only after its folder has been flushed. Windows does that by itself. */
export const make = (fs: FileSystem, paths: Path, flushes: boolean) => {
  let drafts = 0
  /** Files known to end with a line end. */
  const whole = new Set<string>()
  /** Folders known to be durable, with all their parents. */
  const settled = new Set<string>()

  const remember = (set: Set<string>, path: string): void => {
    if (set.size >= mostRemembered) set.clear()
    set.add(path)
  }

  const flushFolder = (folder: string) =>
    flushes ? Effect.scoped(Effect.flatMap(fs.open(folder, { flag: "r" }), ({ sync }) => sync)) : Effect.void

  /**
   * Makes a folder with its parents, from the outermost inwards, each durable before the next one is made. An existing folder is flushed once in
   * this process, since an earlier process may have died before that; its parent may belong to others, so a failure is ignored.
   */
  const makeFolder: (folder: string) => Effect.Effect<void, PlatformError> = Effect.fnUntraced(function* (folder: string) {
    const there = yield* fs.exists(folder)
    if (there && settled.has(folder)) return
    const parent = paths.dirname(folder)
    if (parent === folder) return
    yield* makeFolder(parent)
    // Without `recursive`: Node loops for ever when the system denies an existing parent, as under `/proc`.
    if (!there) yield* Effect.catchReason(fs.makeDirectory(folder, { mode: 0o700 }), "PlatformError", "AlreadyExists", () => Effect.void)
    yield* there ? Effect.ignore(flushFolder(parent)) : flushFolder(parent)
    remember(settled, folder)
  })

  const put = Effect.fnUntraced(function* (target: string, flag: "wx" | "a", parts: Iterable<Uint8Array>) {
    const file = yield* fs.open(target, { flag, mode: 0o600 })
    for (const part of parts) yield* file.writeAll(part)
    yield* file.sync
  }, Effect.scoped)

  const readRange = Effect.fnUntraced(function* (target: string, from: number, length: number) {
    const file = yield* fs.open(target, { flag: "r" })
    const bytes = new Uint8Array(length)
    let got = 0
    for (let more = 1; more > 0 && got < length; got += more) more = yield* file.read(bytes.subarray(got), { position: BigInt(from + got) })
    return bytes.subarray(0, got)
  }, Effect.scoped)

  /** The length of a file up to the end of its last whole line, and the bytes after it. */
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

  /** Renames a file, or a folder with its content. */
  const rename = Effect.fnUntraced(function* (from: string, to: string) {
    yield* fs.rename(from, to)
    for (const path of whole) if (path.startsWith(from)) whole.delete(path)
    yield* flushFolder(paths.dirname(to))
  })

  return {
    makeFolder,
    rename,

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
     * Adds `text`, which consists of whole lines; after a failure none of them is in the file. A last line without a line end, left by a crash, is
     * cut off, or completed when `isLine` accepts it.
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
      // A caller adds the same lines again after a failure, so a part of them must not stay.
      yield* Effect.andThen(
        put(target, "a", completes ? [Uint8Array.of(lineEnd), text] : [text]),
        !isKnown ? flushFolder(folder) : Effect.void,
      ).pipe(Effect.onError(() => Effect.ignore(fs.truncate(target, before))))
      remember(whole, target)
    }),

    /** Removes a file, or a folder with its content. Succeeds for a missing one, and gives false. */
    remove: Effect.fnUntraced(function* (target: string) {
      whole.delete(target)
      const folder = paths.dirname(target)
      const isThere = yield* fs.exists(target)
      if (isThere) yield* fs.remove(target, { recursive: true, force: true })
      else if (!(yield* fs.exists(folder))) return false
      // An earlier process may have removed the file and died before that was durable.
      yield* flushFolder(folder)
      return isThere
    }),

    /** Renames a file within its folder, and gives the new name. `now`: an ISO time, which becomes part of the name. */
    setAside: Effect.fnUntraced(function* (target: string, now: string) {
      let aside = asideOf(target, now, 0)
      for (let again = 1; yield* fs.exists(aside); again++) aside = asideOf(target, now, again)
      yield* rename(target, aside)
      return paths.basename(aside)
    }),
  }
}

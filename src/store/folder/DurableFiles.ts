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

export class DurableFiles {
  private drafts = 0
  /** Files known to end with a line end. */
  private readonly whole = new Set<string>()
  /** Folders known to be durable, with all their parents. */
  private readonly settled = new Set<string>()

  /** `flushes`: a new or removed name is durable only after its folder has been flushed. Windows does that by itself. */
  constructor(
    private readonly fs: FileSystem,
    private readonly paths: Path,
    private readonly flushes: boolean,
  ) {}

  private flushFolder(folder: string): Effect.Effect<void, PlatformError> {
    return this.flushes ? Effect.scoped(Effect.flatMap(this.fs.open(folder, { flag: "r" }), ({ sync }) => sync)) : Effect.void
  }

  /**
   * Makes a folder with its parents, from the outermost inwards, each durable before the next one is made. An existing folder is flushed once in
   * this process, since an earlier process may have died before that; its parent may belong to others, so a failure is ignored.
   */
  readonly makeFolder: (folder: string) => Effect.Effect<void, PlatformError> = Effect.fnUntraced({ self: this }, function* (folder) {
    const there = yield* this.fs.exists(folder)
    if (there && this.settled.has(folder)) return
    const parent = this.paths.dirname(folder)
    if (parent === folder) return
    yield* this.makeFolder(parent)
    // Without `recursive`: Node loops for ever when the system denies an existing parent, as under `/proc`.
    if (!there)
      yield* Effect.catchReason(this.fs.makeDirectory(folder, { mode: 0o700 }), "PlatformError", "AlreadyExists", () => Effect.void)
    yield* there ? Effect.ignore(this.flushFolder(parent)) : this.flushFolder(parent)
    remember(this.settled, folder)
  })

  private readonly put = Effect.fnUntraced(
    { self: this },
    function* (target: string, flag: "wx" | "a", parts: Iterable<Uint8Array>) {
      const file = yield* this.fs.open(target, { flag, mode: 0o600 })
      for (const part of parts) yield* file.writeAll(part)
      yield* file.sync
    },
    Effect.scoped,
  )

  private readonly readRange = Effect.fnUntraced(
    { self: this },
    function* (target: string, from: number, length: number) {
      const file = yield* this.fs.open(target, { flag: "r" })
      const bytes = new Uint8Array(length)
      let got = 0
      for (let more = 1; more > 0 && got < length; got += more)
        more = yield* file.read(bytes.subarray(got), { position: BigInt(from + got) })
      return bytes.subarray(0, got)
    },
    Effect.scoped,
  )

  /** The length of a file up to the end of its last whole line, and the bytes after it. */
  private readonly endOf = Effect.fnUntraced({ self: this }, function* (target: string) {
    const size = Number((yield* this.fs.stat(target)).size)
    if (this.whole.has(target)) return { end: size, rest: new Uint8Array() }
    let end = 0
    for (let at = size; at > 0 && end === 0; at -= block) {
      const from = Math.max(0, at - block)
      end = from + (yield* this.readRange(target, from, at - from)).lastIndexOf(lineEnd) + 1
      if (end === from) end = 0
    }
    return { end, rest: yield* this.readRange(target, end, size - end) }
  })

  /** Renames a file, or a folder with its content. */
  readonly rename = Effect.fnUntraced({ self: this }, function* (from: string, to: string) {
    yield* this.fs.rename(from, to)
    for (const path of this.whole) if (path.startsWith(from)) this.whole.delete(path)
    yield* this.flushFolder(this.paths.dirname(to))
  })

  readonly replace = Effect.fnUntraced({ self: this }, function* (target: string, parts: Iterable<Uint8Array>) {
    const folder = this.paths.dirname(target)
    const draft = draftOf(target, ++this.drafts)
    yield* this.makeFolder(folder)
    yield* this.put(draft, "wx", parts).pipe(
      Effect.andThen(this.fs.rename(draft, target)),
      Effect.onError(() => Effect.ignore(this.fs.remove(draft, { force: true }))),
    )
    yield* this.flushFolder(folder)
  })

  /**
   * Adds `text`, which consists of whole lines; after a failure none of them is in the file. A last line without a line end, left by a crash, is
   * cut off, or completed when `isLine` accepts it.
   */
  readonly append = Effect.fnUntraced({ self: this }, function* (target: string, text: Uint8Array, isLine: (text: Uint8Array) => boolean) {
    const folder = this.paths.dirname(target)
    const isNew = !(yield* this.fs.exists(target))
    const isKnown = this.whole.has(target)
    yield* this.makeFolder(folder)
    const { end, rest } = isNew ? { end: 0, rest: new Uint8Array() } : yield* this.endOf(target)
    const completes = rest.length > 0 && isLine(rest)
    const before = completes ? end + rest.length : end
    if (rest.length > 0 && !completes) yield* this.fs.truncate(target, end)
    this.whole.delete(target)
    // A caller adds the same lines again after a failure, so a part of them must not stay.
    yield* Effect.andThen(
      this.put(target, "a", completes ? [Uint8Array.of(lineEnd), text] : [text]),
      !isKnown ? this.flushFolder(folder) : Effect.void,
    ).pipe(Effect.onError(() => Effect.ignore(this.fs.truncate(target, before))))
    remember(this.whole, target)
  })

  /** Removes a file, or a folder with its content. Succeeds for a missing one, and gives false. */
  readonly remove = Effect.fnUntraced({ self: this }, function* (target: string) {
    this.whole.delete(target)
    const folder = this.paths.dirname(target)
    const isThere = yield* this.fs.exists(target)
    if (isThere) yield* this.fs.remove(target, { recursive: true, force: true })
    else if (!(yield* this.fs.exists(folder))) return false
    // An earlier process may have removed the file and died before that was durable.
    yield* this.flushFolder(folder)
    return isThere
  })

  /** Renames a file within its folder, and gives the new name. `now`: an ISO time, which becomes part of the name. */
  readonly setAside = Effect.fnUntraced({ self: this }, function* (target: string, now: string) {
    let aside = asideOf(target, now, 0)
    for (let again = 1; yield* this.fs.exists(aside); again++) aside = asideOf(target, now, again)
    yield* this.rename(target, aside)
    return this.paths.basename(aside)
  })
}

const remember = (set: Set<string>, path: string): void => {
  if (set.size >= mostRemembered) set.clear()
  set.add(path)
}

/**
 * Files that are whole and durable, over any file system; absolute paths.
 *
 * Guarantees: a file that is replaced is the old one or the new one, and an append that fails leaves the lines that were there, whenever
 * the process or the machine ends; when an effect here has succeeded, the disk has it. Files are for their owner only. Does not: order
 * writes of the same path.
 */
import * as Effect from "effect/Effect"
import type { FileSystem } from "effect/FileSystem"
import type { Path } from "effect/Path"

/** Files that are remembered to end in a whole line; of others the end is looked at. */
const mostWhole = 1000

/** Ends the name of a file that is being written. */
export const draftEnding = ".tmp"

const block = 64 * 1024
const lineEnd = 10

/** `flushes`: a new name, or one that is gone, is durable only when the folder it is in has been flushed; Windows does that by itself. */
export const make = (fs: FileSystem, paths: Path, flushes: boolean) => {
  let drafts = 0
  /** Files whose end is known to be whole. */
  const whole = new Set<string>()

  const flushFolder = (folder: string) =>
    flushes ? Effect.scoped(Effect.flatMap(fs.open(folder, { flag: "r" }), ({ sync }) => sync)) : Effect.void

  const makeFolder = (folder: string) =>
    Effect.flatMap(fs.exists(folder), (there) =>
      there ? Effect.void : Effect.andThen(fs.makeDirectory(folder, { recursive: true, mode: 0o700 }), flushFolder(paths.dirname(folder))),
    )

  const put = (target: string, flag: "w" | "a", parts: Iterable<Uint8Array>) =>
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

  /** Cuts off what a crash left without a line end; gives the bytes that stay. */
  const cutTornLine = Effect.fnUntraced(function* (target: string) {
    const size = Number((yield* fs.stat(target)).size)
    if (whole.has(target)) return size
    let end = 0
    for (let at = size; at > 0 && end === 0; at -= block) {
      const from = Math.max(0, at - block)
      end = from + (yield* readRange(target, from, at - from)).lastIndexOf(lineEnd) + 1
      if (end === from) end = 0
    }
    if (end < size) yield* fs.truncate(target, end)
    return end
  })

  return {
    readRange,

    replace: Effect.fnUntraced(function* (target: string, parts: Iterable<Uint8Array>) {
      const folder = paths.dirname(target)
      const draft = `${target}.${++drafts}${draftEnding}`
      yield* makeFolder(folder)
      yield* put(draft, "w", parts).pipe(
        Effect.andThen(fs.rename(draft, target)),
        Effect.onError(() => Effect.ignore(fs.remove(draft, { force: true }))),
      )
      yield* flushFolder(folder)
    }),

    /** `text` is whole lines; none of them is there when it fails. */
    append: Effect.fnUntraced(function* (target: string, text: Uint8Array) {
      const folder = paths.dirname(target)
      const isNew = !(yield* fs.exists(target))
      if (isNew) yield* makeFolder(folder)
      const before = isNew ? 0 : yield* cutTornLine(target)
      whole.delete(target)
      // Who is told that it failed adds the same lines again.
      yield* Effect.andThen(put(target, "a", [text]), isNew ? flushFolder(folder) : Effect.void).pipe(
        Effect.onError(() => Effect.ignore(fs.truncate(target, before))),
      )
      if (whole.size >= mostWhole) whole.clear()
      whole.add(target)
    }),

    /** A file or a folder with all there is in it; nothing happens when it is not there. */
    remove: Effect.fnUntraced(function* (target: string) {
      whole.delete(target)
      if (!(yield* fs.exists(target))) return
      yield* fs.remove(target, { recursive: true, force: true })
      yield* flushFolder(paths.dirname(target))
    }),

    rename: Effect.fnUntraced(function* (from: string, to: string) {
      const folder = paths.dirname(to)
      yield* makeFolder(folder)
      yield* fs.rename(from, to)
      whole.delete(from)
      yield* flushFolder(folder)
      if (paths.dirname(from) !== folder) yield* flushFolder(paths.dirname(from))
    }),
  }
}

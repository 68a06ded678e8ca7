/**
 * Recordings of outputs that are too long for a reply. They have handles (`o1`, `o2`, …), unique in the server, and are read by pages.
 *
 * Guarantees: a recording keeps at most `outputKept` bytes, half from the beginning and half from the end, in a private file outside memory.
 * All together have at most twice as many bytes and `mostOutputs` handles; the oldest are dropped. Lines are numbered as they were printed,
 * dropped ones included. A page is of one moment, also while the output goes on: bytes that are overwritten meanwhile are left out. A recording
 * that is not here is searched in the archive (`Archive.ts`). Does not: outlive the server without an archive.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Settings } from "../../Settings.ts"
import { type Find, findLines, type FoundLines, NEWLINE, type Page, type PageRequest, readPage, type OutputBytes } from "./pages.ts"
import { Handles } from "../Handles.ts"
import { Archive, type ArchivedOutput } from "./Archive.ts"
import { NoOutput } from "../SessionError.ts"
import { Spool, type SpoolFile } from "./Spool.ts"

const mostOutputs = 64

/** Bytes by which the gap is longer when a recording is read for the second time; four times as many for each further time. */
const firstMargin = 64 * 1024

/** The recording of one output, during its arrival and afterwards. */
export class OutputRecording implements ArchivedOutput {
  bytes = 0
  newlines = 0
  /** The output is still arriving, so it is not dropped to make room. */
  pinned = false
  onWrite: () => void = () => {}
  private full = false
  private readonly end: number

  constructor(
    readonly handle: string,
    private readonly file: SpoolFile,
    private readonly most: number,
  ) {
    this.end = Math.floor(most / 2)
  }

  private get start(): number {
    return this.most - this.end
  }

  /** Number of bytes kept. */
  get kept(): number {
    return Math.min(this.bytes, this.most)
  }

  /** The bytes that were not kept: from the first to before the second position. Empty when all were kept. */
  get gap(): readonly [from: number, to: number] {
    return this.bytes <= this.most ? [this.bytes, this.bytes] : [this.start, this.bytes - this.end]
  }

  /** The bytes that the ring had and has no more: from the first to before the second position. */
  get overwritten(): readonly [from: number, to: number] {
    return [this.start, Math.max(this.start, this.bytes - this.end)]
  }

  /** Reads the recording as it is at one moment, while its output goes on. `margin`: bytes behind the gap that are left out. */
  reading<A>(work: (source: OutputBytes) => Effect.Effect<A>, margin = 0): Effect.Effect<A> {
    return Effect.suspend(() => {
      const { bytes, newlines, pinned } = this
      const [start, end] = this.overwritten
      const gap = margin === 0 || start >= bytes ? this.gap : ([start, Math.min(bytes, end + margin)] as const)
      /** Some of the bytes that were read are newer ones. */
      let isOverwritten = false
      const read = (from: number, length: number) =>
        Effect.tap(this.read(from, Math.min(length, bytes - from)), () =>
          Effect.sync(() => {
            isOverwritten ||= from >= start && from < this.overwritten[1]
          }),
        )
      return Effect.filterOrElse(
        work({ bytes, newlines, pinned, gap, read }),
        () => !isOverwritten || margin === this.end,
        () => this.reading(work, Math.min(this.end, Math.max(firstMargin, 4 * margin))),
      )
    })
  }

  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && !this.full;) {
      const place = this.place(this.bytes)
      const piece = bytes.subarray(at, at + Math.min(bytes.length - at, place.room))
      // A full disk ends the recording. The reply still gives the size of the whole output.
      this.full = !this.file.write(piece, place.at)
      if (this.full) return
      at += piece.length
      this.bytes += piece.length
      for (let i = 0; i < piece.length; i++) if (piece[i] === NEWLINE) this.newlines++
    }
    this.onWrite()
  }

  /** The place of an output byte in the file, and the number of bytes that follow it there. The end of the output is kept in a ring. */
  private place(position: number): { readonly at: number; readonly room: number } {
    if (position < this.start) return { at: position, room: this.start - position }
    const turned = this.end === 0 ? 0 : (position - this.start) % this.end
    return { at: this.start + turned, room: this.end - turned }
  }

  read(from: number, length: number): Effect.Effect<Uint8Array> {
    const { at, room } = this.place(from)
    return this.file.read(at, Math.max(0, Math.min(length, room, this.bytes - from)))
  }

  close(): void {
    this.full = true
    this.file.close()
  }
}

export class Outputs extends Context.Service<
  Outputs,
  {
    /** Begins a recording, with the given handle or the next one. A private one is not archived. Undefined when its file cannot be made. */
    readonly open: (name?: string, isPrivate?: boolean) => OutputRecording | undefined
    readonly page: (handle: string, request: PageRequest) => Effect.Effect<Page, NoOutput>
    readonly find: (handle: string, request: Find) => Effect.Effect<FoundLines, NoOutput>
  }
>()("k3-mcp/session/Outputs") {
  static readonly layer = Layer.effect(
    Outputs,
    Effect.gen(function* () {
      const { outputKept } = yield* Settings
      const spool = yield* Spool
      const kept = new Map<string, OutputRecording>()
      const after = yield* Handles
      const archive = yield* Archive
      let made = after

      yield* Effect.addFinalizer(() => Effect.sync(() => kept.forEach((each) => each.close())))

      const drop = (recording: OutputRecording): void => {
        kept.delete(recording.handle)
        recording.close()
      }

      const open = (name?: string, isPrivate = false): OutputRecording | undefined => {
        let total = 0
        // Drops the oldest recordings, so that there is room for a new one.
        for (const [i, each] of [...kept.values()].toReversed().entries()) {
          total += each.kept
          if (!each.pinned && (i >= mostOutputs - 1 || total > outputKept)) drop(each)
        }
        const file = spool.open()
        if (file === undefined) return undefined
        const recording = new OutputRecording(name ?? `o${++made}`, file, outputKept)
        kept.set(recording.handle, recording)
        if (!isPrivate) archive.began(recording.handle, recording)
        return recording
      }

      const using = <A>(handle: string, work: (source: OutputBytes) => Effect.Effect<A>): Effect.Effect<A, NoOutput> =>
        Effect.gen(function* () {
          const recording = kept.get(handle)
          if (recording !== undefined) return yield* recording.reading(work)
          const archived = yield* archive.find(handle)
          if (archived !== undefined) return yield* work(archived)
          const number = Number(/^o([1-9]\d*)$/.exec(handle)?.[1])
          return yield* new NoOutput({ handle, dropped: number > after && number <= made, kept: [...kept.keys()] })
        })

      return Outputs.of({
        open,
        page: (handle, request) => using(handle, (source) => readPage(source, request)),
        find: (handle, request) => using(handle, (source) => findLines(source, request)),
      })
    }),
  )
}

/**
 * The port to stored long outputs, which outlive the machine that recorded them, and the choice of the bytes that are stored.
 *
 * Guarantees: of each output the first and the last `half` bytes are stored; of each space the latest `mostKept` outputs. Each machine has its
 * own range of handles (`session/Handles.ts`), so two machines never write the same output. Does not: count in the quota of the space, which
 * stores at most 64 MiB of outputs.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Archive } from "../session/output/Archive.ts"
import { readAll, type Source } from "../session/output/pages.ts"

export const half = 512 * 1024
export const mostKept = 64

/** A stored output: its beginning and its end. Nothing is between them when the output is short. */
export interface Archived {
  readonly bytes: number
  readonly newlines: number
  readonly head: Uint8Array
  readonly tail: Uint8Array
}

export class Archives extends Context.Service<
  Archives,
  {
    /** False when the database did not store the output. */
    readonly save: (space: string, handle: string, output: Archived) => Effect.Effect<boolean>
    readonly find: (space: string, handle: string) => Effect.Effect<Archived | undefined>
  }
>()("k3-mcp/cluster/Archives") {}

export const sourceOf = ({ bytes, newlines, head, tail }: Archived): Source => {
  const from = bytes - tail.length
  return {
    bytes,
    newlines,
    gap: head.length === from ? [bytes, bytes] : [head.length, from],
    read: (at, length) =>
      Effect.succeed(
        at < head.length ? head.subarray(at, at + length) : tail.subarray(Math.max(0, at - from), Math.max(0, at - from) + length),
      ),
  }
}

/** Undefined when the recording cannot be read any more. */
const archivedOf = Effect.fnUntraced(function* (source: Source) {
  const { bytes, newlines, gap } = source
  const isWhole = gap[0] === gap[1]
  const headEnd = Math.min(half, isWhole ? bytes : gap[0])
  const tailStart = Math.max(bytes - half, isWhole ? 0 : gap[1], headEnd)
  const head = yield* readAll(source, 0, headEnd)
  const tail = yield* readAll(source, tailStart, bytes)
  return head.length === headEnd && tail.length === bytes - tailStart ? { bytes, newlines, head, tail } : undefined
})

/** The recordings of a space on this machine. */
export interface Recordings {
  readonly archive: Archive
  /** Archives the recordings that grew since the last save; false when one of them was not archived. */
  readonly save: Effect.Effect<boolean>
}

export const recordingsOf = ({ save, find }: Archives["Service"], space: string): Recordings => {
  /** The latest recordings by handle. `archived`: the length of the output when it was archived, in bytes. */
  const all = new Map<string, { readonly source: Source; archived: number }>()
  const turn = Semaphore.makeUnsafe(1)

  const saveOne = Effect.fnUntraced(function* (handle: string, each: { readonly source: Source; archived: number }) {
    if (each.source.bytes === each.archived) return true
    const output = yield* archivedOf(each.source)
    if (output === undefined) return all.delete(handle)
    const isSaved = yield* save(space, handle, output)
    if (isSaved) each.archived = output.bytes
    return isSaved
  })
  return {
    archive: {
      began: (handle, source) => {
        all.set(handle, { source, archived: 0 })
        const [oldest] = all.keys()
        if (all.size > mostKept) all.delete(oldest!)
      },
      find: (handle) => Effect.map(find(space, handle), (found) => found && sourceOf(found)),
    },
    save: turn.withPermit(
      Effect.suspend(() =>
        Effect.map(
          Effect.forEach([...all], ([handle, each]) => saveOne(handle, each)),
          (done) => !done.includes(false),
        ),
      ),
    ),
  }
}

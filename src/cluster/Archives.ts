/**
 * The port to long outputs that outlive the machine that recorded them, and what of a recording goes there.
 *
 * Guarantees: of one output the first and the last `half` bytes are kept, of a space the latest `mostKept`. Handles are of ranges of their own
 * (`session/Handles.ts`), so no two machines write the same. Does not: count in the quota of the space; 64 MiB are the most.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Archive } from "../session/output/Archive.ts"
import { readAll, type Source } from "../session/output/pages.ts"

export const half = 512 * 1024
export const mostKept = 64

/** An output as it is kept: its beginning and its end, which may meet. */
export interface Archived {
  readonly bytes: number
  readonly newlines: number
  readonly head: Uint8Array
  readonly tail: Uint8Array
}

export class Archives extends Context.Service<
  Archives,
  {
    /** False when the database did not take it. */
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

/** Undefined when it cannot be read any more. */
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
  /** Archives what was recorded since the last time; false when something was not. */
  readonly save: Effect.Effect<boolean>
}

export const recordingsOf = ({ save, find }: Archives["Service"], space: string): Recordings => {
  /** With the bytes that are archived. */
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

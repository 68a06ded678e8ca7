/**
 * The long outputs that the sessions of a space recorded on this machine, and their way into the database.
 *
 * Guarantees: of each output the first and the last `half` bytes are stored; of each space the latest `mostKept` outputs.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Archive, ArchivedOutput } from "../session/output/Archive.ts"
import { readAll, type OutputBytes } from "../session/output/pages.ts"
import { setLatest } from "../session/setLatest.ts"
import { half, mostKept, sourceOf, type StoredOutput, type StoredOutputs } from "./StoredOutputs.ts"

/** Undefined when the recording cannot be read any more. */
const endsOf = Effect.fnUntraced(function* (source: OutputBytes): Effect.fn.Return<StoredOutput | undefined> {
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

export const recordingsOf = ({ save, find }: StoredOutputs["Service"], space: string): Recordings => {
  /** The latest recordings by handle. `archived`: the length of the output when it was archived, in bytes. */
  const all = new Map<string, { readonly recording: ArchivedOutput; archived: number }>()
  const turn = Semaphore.makeUnsafe(1)

  const saveOne = Effect.fnUntraced(function* (handle: string, each: { readonly recording: ArchivedOutput; archived: number }) {
    if (each.recording.bytes === each.archived) return true
    const output = yield* each.recording.reading(endsOf)
    if (output === undefined) return all.delete(handle)
    const isSaved = yield* save(space, handle, output)
    if (isSaved) each.archived = output.bytes
    return isSaved
  })
  return {
    archive: {
      began: (handle, recording) => {
        setLatest(all, handle, { recording, archived: 0 }, mostKept)
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

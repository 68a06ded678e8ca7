/**
 * The port to the long outputs in the database, which outlive the machine that recorded them.
 *
 * Guarantees: each machine has its own range of handles (`session/Handles.ts`), so two machines never write the same output. Does not: count in
 * the quota of the space, which stores at most 64 MiB of outputs.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { OutputBytes } from "../session/output/pages.ts"

/** The most bytes that are stored of the beginning of an output, and of its end. */
export const half = 512 * 1024
/** The most outputs that a space stores, the latest ones. */
export const mostKept = 64

/** A stored output: its beginning and its end. Nothing is between them when the output is short. */
export interface StoredOutput {
  readonly bytes: number
  readonly newlines: number
  readonly head: Uint8Array
  readonly tail: Uint8Array
}

export class StoredOutputs extends Context.Service<
  StoredOutputs,
  {
    /** False when the database did not store the output. */
    readonly save: (space: string, handle: string, output: StoredOutput) => Effect.Effect<boolean>
    readonly find: (space: string, handle: string) => Effect.Effect<StoredOutput | undefined>
  }
>()("k3-mcp/cluster/StoredOutputs") {}

export const sourceOf = ({ bytes, newlines, head, tail }: StoredOutput): OutputBytes => {
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

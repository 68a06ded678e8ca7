/**
 * Plans the segments of a stored session: which ones stay at a persist, and the content of the new one. Pure.
 *
 * Guarantees: the sizes at least double from the last segment to the first, so there are few, and the stored bytes stay within a small multiple
 * of the held ones. Does not: read or write segments.
 */
import * as Iterable from "effect/Iterable"
import { sumAll } from "effect/Number"
import { kept as bytesKept, type Contents } from "../child/Contents.ts"
import type { VariableEntry } from "./variableLines.ts"

export interface Segment {
  readonly number: number
  /** Approximate size of the segment. */
  readonly bytes: number
  /** Number of paths in the segment. `names`: the paths whose latest value is in it. */
  readonly size: number
  readonly names: Set<string>
}

export const numbersOf = (segments: readonly Pick<Segment, "number">[]): readonly number[] => segments.map(({ number }) => number)

const bytesOf = (entry: VariableEntry): number => 80 + entry.path.length + ("gone" in entry ? 0 : entry.text.length + bytesKept(entry))

/**
 * Chooses the segments that stay and those that the new segment absorbs, and lists the entries of the new one. A segment is absorbed, with all
 * later ones, when the later ones together are larger, or when most of it is out of date. The entries are in the order of the variables, which
 * K shows: a load gives them back in the order of the segments.
 */
export const plan = (
  segments: readonly Segment[],
  { variables }: Contents,
  changed: ReadonlySet<string>,
): {
  readonly kept: readonly Segment[]
  readonly absorbed: readonly Segment[]
  readonly entries: readonly VariableEntry[]
  /** Approximate size of the entries. */
  readonly bytes: number
} => {
  const entryOf = (path: string): VariableEntry => variables.get(path) ?? { path, gone: true }
  const bytesIn = (paths: Iterable<string>): number => sumAll(Iterable.map(paths, (path) => bytesOf(entryOf(path))))
  let count = segments.length
  let newer = bytesIn(changed)
  for (let i = segments.length - 1; i >= 0; i--) {
    const segment = segments[i]!
    let current = segment.names.size
    for (const path of changed) if (segment.names.has(path)) current--
    if (segment.bytes < newer || current * 2 < segment.size) count = i
    newer += segment.bytes
  }
  const absorbed = segments.slice(count)
  const taken = new Set(changed)
  for (const { names } of absorbed) for (const path of names) taken.add(path)
  const kept = segments.slice(0, count)
  // The first segment needs no removed names.
  const gone = kept.length > 0 ? Array.from(taken).filter((path) => !variables.has(path)) : []
  const entries = [...gone, ...Array.from(variables.keys()).filter((path) => taken.has(path))].map(entryOf)
  return { kept, absorbed, bytes: bytesIn(taken), entries }
}

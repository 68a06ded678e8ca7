/**
 * The segments that are kept of a session, as data: which stay at a persist, and what is to be in the new one. Pure.
 *
 * Guarantees: their sizes at least double from the last to the first, so they are few, and what is kept stays within a small multiple of
 * what is held. Does not: read or write any.
 */
import { kept as bytesKept, type Holdings } from "../child/Contents.ts"
import type { Entry } from "./variableLines.ts"

export interface Segment {
  readonly number: number
  /** About what it takes. */
  readonly bytes: number
  /** How many names are in it, and those of which it has the last word. */
  readonly size: number
  readonly names: Set<string>
}

const bytesOf = (entry: Entry): number => 80 + entry.path.length + ("gone" in entry ? 0 : entry.text.length + bytesKept(entry))

/**
 * Which segments stay, which are taken up by the new one, and what is to be in it. A segment is taken up, with all after it, when those
 * are larger than itself or when most of it is out of date.
 */
export const plan = (
  segments: readonly Segment[],
  { variables }: Holdings,
  changed: ReadonlySet<string>,
): {
  readonly kept: readonly Segment[]
  readonly absorbed: readonly Segment[]
  readonly entries: readonly Entry[]
  /** About what the entries take. */
  readonly bytes: number
} => {
  const entries: Entry[] = []
  let bytes = 0
  const add = (path: string): void => {
    const entry: Entry = variables.get(path) ?? { path, gone: true }
    entries.push(entry)
    bytes += bytesOf(entry)
  }
  for (const path of changed) add(path)
  let count = segments.length
  let newer = bytes
  for (let i = segments.length - 1; i >= 0; i--) {
    const segment = segments[i]!
    let current = segment.names.size
    for (const path of changed) if (segment.names.has(path)) current--
    if (segment.bytes < newer || current * 2 < segment.size) count = i
    newer += segment.bytes
  }
  const absorbed = segments.slice(count)
  for (const { names } of absorbed) for (const path of names) if (!changed.has(path)) add(path)
  const kept = segments.slice(0, count)
  // With nothing before it there is nothing to take a name away from.
  return { kept, absorbed, bytes, entries: kept.length > 0 ? entries : entries.filter((entry) => !("gone" in entry)) }
}

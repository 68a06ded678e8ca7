/**
 * Variables as lines of a state file: one JSON object each, a large image in pieces on the lines behind it, so that no line is too long to
 * be made or read in one go. Pure. Does not: check more than that a line is of this form; the file's checksum does.
 */
import type { Variable } from "../../child/Contents.ts"

/** A variable as it is now, or a name that is gone. */
export type Entry = Variable | { readonly path: string; readonly gone: true }

const pieceLength = 128 * 1024

export const linesOf = function* (entries: Iterable<Entry>): Generator<string> {
  for (const entry of entries) {
    const image = "gone" in entry ? undefined : entry.image
    if (image === undefined || image.length <= pieceLength) yield JSON.stringify(entry)
    else {
      yield JSON.stringify({ ...entry, image: undefined, pieces: Math.ceil(image.length / pieceLength) })
      // Surrogates that are cut apart are escaped one by one, and come together again.
      for (let at = 0; at < image.length; at += pieceLength) yield JSON.stringify(image.slice(at, at + pieceLength))
    }
  }
}

/** The entries, in the order they were written; throws on lines that are none of ours. */
export const entriesOf = function* (lines: readonly string[]): Generator<Entry> {
  for (let at = 0; at < lines.length;) {
    const { pieces = 0, ...entry } = JSON.parse(lines[at++]!) as Entry & { readonly pieces?: number }
    if (typeof entry.path !== "string") throw new TypeError("no variable")
    if (pieces === 0) yield entry
    else
      yield {
        ...(entry as Variable),
        image: lines
          .slice(at, (at += pieces))
          .map((piece) => JSON.parse(piece) as string)
          .join(""),
      }
  }
}

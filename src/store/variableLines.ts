/**
 * Variables as lines: one JSON object each. A large image follows in pieces on lines of their own, so that no line takes long to make or read.
 * Pure.
 *
 * Guarantees: lines that are read are validated, whoever wrote them. Does not: check whether an image is valid for its engine; a restore does.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Variable } from "../child/Contents.ts"

/** No line ends or other control characters: such a text cannot become two commands of an interpreter. */
// oxlint-disable-next-line no-control-regex
export const plain = /^[^\x00-\x1f\x7f]*$/

/** The settings of a workspace beside its variables. */
export const WorkspaceSettings = Schema.Struct({
  precision: Schema.Finite,
  seed: Schema.Finite,
  directory: Schema.String.check(Schema.isPattern(plain)),
  folder: Schema.String.check(Schema.isPattern(plain)),
})

// oxlint-disable-next-line no-control-regex
const Path = Schema.String.check(Schema.isPattern(/^\.[^\x00-\x1f\x7f]+$/))
const Line = Schema.Union([
  Schema.Struct({ path: Path, gone: Schema.Literal(true) }),
  Schema.Struct({
    path: Path,
    type: Schema.Int,
    shape: Schema.String,
    bytes: Schema.Finite,
    text: Schema.String,
    image: Schema.optionalKey(Schema.String),
    attributes: Schema.optionalKey(Schema.String),
    why: Schema.optionalKey(Schema.String),
    pieces: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0))),
  }),
])
const decodeLine = Schema.decodeUnknownOption(Schema.fromJsonString(Line))
const decodePiece = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.String))

/** A variable, or a removed name. */
export type VariableEntry = Variable | { readonly path: string; readonly gone: true }

const pieceLength = 128 * 1024

export const linesOf = function* (entries: Iterable<VariableEntry>): Generator<string> {
  for (const entry of entries) {
    const image = "gone" in entry ? undefined : entry.image
    if (image === undefined || image.length <= pieceLength) yield JSON.stringify(entry)
    else {
      yield JSON.stringify({ ...entry, image: undefined, pieces: Math.ceil(image.length / pieceLength) })
      // JSON escapes each half of a surrogate pair that is cut apart, so joining the pieces restores it.
      for (let at = 0; at < image.length; at += pieceLength) yield JSON.stringify(image.slice(at, at + pieceLength))
    }
  }
}

/** The entries, in the order of the lines. Undefined for an invalid one. */
export const entriesOf = function* (lines: readonly string[]): Generator<VariableEntry | undefined> {
  for (let at = 0; at < lines.length;) {
    const entry = Option.getOrUndefined(decodeLine(lines[at++]!))
    if (entry === undefined || "gone" in entry || entry.pieces === undefined) yield entry
    else {
      const { pieces, ...variable } = entry
      const read = Option.all(lines.slice(at, at + pieces).map((piece) => decodePiece(piece)))
      yield Option.isSome(read) && read.value.length === pieces ? { ...variable, image: read.value.join("") } : undefined
      at += pieces
    }
  }
}

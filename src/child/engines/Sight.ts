/** What inspecting a path of a child's K tree shows. */
import type { FunctionFacts } from "./functionText.ts"
import type { Impact } from "./impact.ts"

/** A name below a path of the K tree, for people to read. */
export interface Entry {
  readonly name: string
  /** K's type code. */
  readonly type: number
  readonly kind: string
  readonly shape: string
  readonly preview: string
}

/** One value: its beginning is the preview. */
export interface Detail extends Entry {
  /** Of the data, with all that is nested; of a list of K3CSharp not known. */
  readonly bytes?: number
  /** Of what was counted of very much that is nested. */
  readonly bytesAtLeast?: number
  /** The end of a long one. */
  readonly tail?: string
  /** Of numbers, nulls left out. */
  readonly least?: number
  readonly greatest?: number
  readonly mean?: number
  /** How many different symbols. */
  readonly distinct?: number
  /** The figures are of so many items, evenly spread. */
  readonly sampled?: number
  readonly function?: Omit<FunctionFacts, keyof Impact> & Impact & { readonly text: string }
}

/** What was seen below a path, without when. */
export interface Sight {
  readonly path: string
  readonly entries: readonly Entry[]
  /** For a value that is no directory: what is known of itself. */
  readonly value?: Detail
  /** Where to go on when there are more entries. */
  readonly next?: number
  /** Why the slice shows nothing. */
  readonly problem?: string
  /** Told of the current directory: the others of the root. */
  readonly others?: readonly string[]
  /** Names left out for the size of the reply. */
  readonly omitted: number
}

/** An inspection of a path of a child's K tree: the request, the names of paths, and the result. */
import type { FunctionFacts } from "./functionText.ts"
import type { Impact } from "./impact.ts"

/** The part of a path to inspect: levels, a slice, and a page of the entries. */
export interface View {
  /** Levels below the path; 1 when absent. */
  readonly depth?: number | undefined
  readonly slice?: Slice | undefined
  /** Entries to pass over. */
  readonly skip?: number | undefined
}

/** The items from one position to before another, or one item by positions and names, from the outermost one on. */
export type Slice = { readonly range: readonly [from: number, to: number] } | { readonly index: readonly (number | string)[] }

/** The absolute path of `path` in `directory`: an empty path is `directory`, `.` is the root; a path without a leading dot is below `directory`. */
export const absolutePath = (directory: string, path: string): string =>
  path.startsWith(".") ? path : path === "" ? directory || "." : `${directory === "." ? "" : directory}.${path}`

/** The directories of the root other than `directory`, without the interpreter's own `.t`. */
export const directoriesBeside = (directory: string, top: readonly string[]): readonly string[] =>
  top.filter((name) => name !== "t" && `.${name}` !== directory).map((name) => `.${name}`)

/** The last name of a path. */
export const leafOf = (path: string): string => path.slice(path.lastIndexOf(".") + 1)

/** The name of an entry in lists: with a leading dot for an entry of the root. */
export const nameBelow = (path: string, name: string): string => (path === "." ? `.${name}` : name)

/** Entries of one reply. */
export const mostEntries = 100
/** Levels of one inspection. */
export const mostDepth = 8

/** A name below a path of the K tree, in a readable form. */
export interface ListedName {
  readonly name: string
  /** K's type code. */
  readonly type: number
  readonly kind: string
  readonly shape: string
  readonly preview: string
}

/** One value in detail. Its beginning is the preview. */
export interface ListedValue extends ListedName {
  /** Bytes of the data, nested values included; unknown for a list of K3CSharp. */
  readonly bytes?: number
  /** Bytes counted so far, when counting stopped at a limit of nested values. */
  readonly bytesAtLeast?: number
  /** The end of a long value. */
  readonly tail?: string
  /** Minimum, maximum and mean of numbers, without nulls. */
  readonly least?: number
  readonly greatest?: number
  readonly mean?: number
  /** Number of different symbols. */
  readonly distinct?: number
  /** Number of nulls among numbers, when there are any. */
  readonly nulls?: number
  /** The figures are computed from this many items, evenly spread. */
  readonly sampled?: number
  readonly function?: Omit<FunctionFacts, keyof Impact> & Impact & { readonly text: string }
}

/** The entries and the value at a path. */
export interface Listing {
  readonly path: string
  readonly entries: readonly ListedName[]
  /** The value itself, when the path is no directory. */
  readonly value?: ListedValue
  /** `skip` for the next page, when there are more entries. */
  readonly next?: number
  /** Why the slice has no value. */
  readonly problem?: string
  /** For the current directory: the other directories of the root. */
  readonly others?: readonly string[]
  /** Number of names left out to limit the reply. */
  readonly omitted: number
}

/** The listing of a path that has `total` names. `entries`: those shown, after the first `skip`. */
export const listingOf = (path: string, entries: readonly ListedName[], total: number, skip: number): Listing => {
  const omitted = Math.max(0, total - skip - entries.length)
  return { path, entries, omitted, ...(omitted > 0 && { next: skip + entries.length }) }
}

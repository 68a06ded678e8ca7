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

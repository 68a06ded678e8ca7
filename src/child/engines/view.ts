/** How much of a path is looked at: levels, a slice, and where to go on. */
export interface View {
  /** Levels below the path, 1 when absent. */
  readonly depth?: number | undefined
  readonly slice?: Slice | undefined
  /** Entries to pass over. */
  readonly skip?: number | undefined
}

/** Items from one position to before another, or the item that positions and names lead to. */
export type Slice = { readonly range: readonly [from: number, to: number] } | { readonly index: readonly (number | string)[] }

/** The absolute path of `path` for a session in `directory`: empty is that directory, `.` the root, else it is absolute or a name below it. */
export const absolutePath = (directory: string, path: string): string =>
  path.startsWith(".") ? path : path === "" ? directory || "." : `${directory === "." ? "" : directory}.${path}`

/** Directories of the root that `directory` is not. `.t` is the interpreter's own. */
export const directoriesBeside = (directory: string, top: readonly string[]): readonly string[] =>
  top.filter((name) => name !== "t" && `.${name}` !== directory).map((name) => `.${name}`)

/** The name of a root's entry. */
export const nameBelow = (path: string, name: string): string => (path === "." ? `.${name}` : name)

/** Entries of one reply. */
export const mostEntries = 100
/** Levels that are looked at. */
export const mostDepth = 8

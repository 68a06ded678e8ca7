/** The files and resources of a fenced child. All paths are absolute real paths. */
export interface FencePlan {
  /** Read-only: the engine's program, its libraries outside the system's folders, a shadow copy. */
  readonly program: readonly string[]
  /** Read and write: `K3_ROOTS`; an outer folder comes before its inner ones. */
  readonly roots: readonly string[]
  /** Folders in a root around the server's own places in it. They are writable, and nobody inside can move them or put others in their place. */
  readonly fixed: readonly string[]
  /** Read-only places in a root: their files could later run, or steer a program, outside the fence. */
  readonly readOnly: readonly string[]
  /** The server's own folders in a root. They are empty inside the fence. */
  readonly hiddenFolders: readonly string[]
  readonly hiddenFiles: readonly string[]
  /** Bytes of the private temporary folder. */
  readonly temporaryBytes: number
  /** Bytes of writable memory of each process inside. */
  readonly memoryBytes: number
  /** Processes and threads inside; not enforced for a server that runs as root. */
  readonly processes: number
  /** The working folder of the child. Inside it is empty when it lies in no root. */
  readonly cwd: string
}

export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`)

/** The top folder of the root that holds `path`: `/r/a` for `/r/a/b/c` in `/r`. Empty when `path` lies outside. */
export const topIn = (root: string, path: string): string => {
  if (!isWithin(path, root)) return ""
  const way = path.slice(root.length).replace(/^\//, "")
  return `${root}/${way.split("/", 1)[0]}`
}

/** The folders between a root and a path in it, the outermost first: `/r/a` and `/r/a/b` for `/r/a/b/c` in `/r`. */
export const foldersAround = (path: string, root: string): readonly string[] => {
  if (!isWithin(path, root)) return []
  const start = root === "/" ? 0 : root.length
  return Array.from(path.matchAll(/\//g), ({ index }) => path.slice(0, index)).filter(({ length }) => length > start)
}

export const FILTER_DESCRIPTOR = 3

/** The programs and folders of the system for making a fence, the same for every launch. All paths are absolute. */
export interface FenceTools {
  readonly by: "bubblewrap" | "sandbox-exec"
  readonly program: string
  /** The program that sets resource limits; undefined where it is not installed. */
  readonly prlimit?: string | undefined
  /** The kernel counts processes for each user namespace, not for the whole user (Linux 5.14). */
  readonly countsProcesses?: boolean | undefined
  /** The server's own hard limits, which nothing inside can raise. */
  readonly hardLimits?: { readonly memoryBytes: number; readonly stackBytes: number; readonly processes: number } | undefined
  /** The kernel's filter of system calls; undefined for an unknown architecture. The fence's program reads it from descriptor `FILTER_DESCRIPTOR`. */
  readonly filter?: Uint8Array | undefined
  /** Folders of .NET outside the system's folders. */
  readonly runtimes: readonly string[]
  /** Folders of programs and libraries, and links to them. */
  readonly folders: readonly SystemFolder[]
}

/** `target`: the target of a link. */
export interface SystemFolder {
  readonly path: string
  readonly target?: string | undefined
}

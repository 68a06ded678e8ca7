/** What a fenced child may reach. Absolute real paths. */
export interface FencePlan {
  /** Read-only: the engine's own program, its libraries outside of the system's folders, a build's copy. */
  readonly program: readonly string[]
  /** Read and write: `K3_ROOTS`, an outer one before those in it. */
  readonly roots: readonly string[]
  /** Read-only although they lie in a root: they would run, or steer a program, outside later. */
  readonly readOnly: readonly string[]
  /** Folders that are empty inside although they lie in a root: the server's own. */
  readonly hiddenFolders: readonly string[]
  readonly hiddenFiles: readonly string[]
  /** Bytes of the private temporary folder. */
  readonly temporaryBytes: number
  /** Bytes of memory a process inside may write to. */
  readonly memoryBytes: number
  /** Processes and threads inside; not enforced for a server that runs as root. */
  readonly processes: number
  /** The working folder of the child; empty inside when it lies in no root. */
  readonly cwd: string
}

export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`)

export const FILTER_DESCRIPTOR = 3

/** What a fence is made with: of the system alone, the same for every launch. Absolute paths. */
export interface FenceTools {
  readonly by: "bubblewrap" | "sandbox-exec"
  readonly program: string
  /** Sets limits that namespaces do not have; undefined where it is not installed. */
  readonly prlimit?: string | undefined
  /** The kernel counts processes for each user namespace, not for the whole user (Linux 5.14). */
  readonly countsProcesses?: boolean | undefined
  /** Of system calls, for the kernel; undefined where none is known. The program that makes the fence reads it from descriptor `FILTER_DESCRIPTOR`. */
  readonly filter?: Uint8Array | undefined
  /** Where .NET is, when it is in none of the system's folders. */
  readonly runtimes: readonly string[]
  /** Folders of programs and libraries, and links to them. */
  readonly folders: readonly SystemFolder[]
}

/** `target`: it is a link, to this. */
export interface SystemFolder {
  readonly path: string
  readonly target?: string | undefined
}

/**
 * The language's host on Node: files, clock, environment, shell.
 *
 * Guarantees: K reaches only files below the roots (`fencedFiles.ts`), whatever a path looks like; no shell unless it is allowed; no network.
 * The host has a working folder of its own: `\cd` changes it and not the process's. Does not: look up the address of another machine, which
 * Node can do only asynchronously.
 *
 * Text for the language is a byte string, one character per byte; paths and messages of the system are UTF-8.
 */
import { resolve } from "node:path"
import { type FileKind, fromBytes, type Host, KError, toBytes } from "../k3/k3.ts"
import { fence, Outside } from "./fence.ts"
import { fencedFiles } from "./fencedFiles.ts"
import type { Memory } from "./memory.ts"
import { scriptPaths } from "./scriptFiles.ts"
import { writeError } from "./standardStreams.ts"

export interface HostOptions {
  /** Folders that K may read and write. */
  readonly roots: readonly string[]
  /** Files and folders below the roots that K may not touch. */
  readonly closed?: readonly string[] | undefined
  readonly shell: "allow" | "deny"
  readonly memory: Memory
  /** True when K may write no file and run no command from now on. */
  sealed?(): boolean
  /** `_a`. */
  readonly args: readonly string[]
  write(text: string): void
  /** The next line of standard input, undefined at its end; absent when something else reads standard input. */
  readonly input?: (() => string | undefined) | undefined
  interrupted(): boolean
  readonly quotesCut?: (() => void) | undefined
  exit(code: number): never
}

/** Loaded at the first use, to start faster. */
const os = (): typeof import("node:os") => process.getBuiltinModule("node:os")

const addressOf = (name: string): number | undefined => {
  const own = os().hostname()
  const found =
    name === "localhost"
      ? "127.0.0.1"
      : name === "" || name === own
        ? Object.values(os().networkInterfaces())
            .flatMap((each) => each ?? [])
            .find(({ family, internal }) => family === "IPv4" && !internal)?.address
        : name
  const parts = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(found ?? "")
  return parts?.slice(1).reduce((address, part) => (address << 8) | (Number(part) & 255), 0)
}

const fileKinds: ReadonlyMap<string, FileKind> = new Map([
  ["ENOENT", "absent"],
  ["EACCES", "unreadable"],
  ["EPERM", "unreadable"],
  ["ENOTDIR", "not-folder"],
  ["EISDIR", "folder"],
  ["ENOSPC", "full"],
  ["EDQUOT", "full"],
  ["EROFS", "read-only"],
])

/** The K error for a system error, by its code. */
const fileError = (error: unknown, path: string): KError => {
  const { code = String(error) } = error as NodeJS.ErrnoException
  const kind = fileKinds.get(code)
  return kind === undefined ? new KError("system", { what: "system", path, code }) : new KError(kind, path)
}

/** The environment of this process. `args`: `_a`. */
const environment = (args: readonly string[]): Host["env"] => ({
  get: (name) => {
    const value = process.env[fromBytes(name)]
    return value === undefined ? undefined : toBytes(value)
  },
  set: (name, value) => {
    process.env[fromBytes(name)] = fromBytes(value)
  },
  get user() {
    return toBytes(os().userInfo().username)
  },
  get host() {
    return toBytes(os().hostname())
  },
  args: args.map(toBytes),
  address: (name) => addressOf(fromBytes(name)),
})

/** The output of a shell command in a folder, also of one that fails. */
const runCommand = (command: string, cwd: string): string => {
  const { execSync } = process.getBuiltinModule("node:child_process")
  try {
    return execSync(fromBytes(command), { cwd, encoding: "latin1", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 30 })
  } catch (error) {
    const { status, stdout } = error as { status?: number | null; stdout?: string }
    if (typeof status === "number" && typeof stdout === "string") return stdout
    throw new KError("access", toBytes((error as Error).message))
  }
}

export const makeHost = (options: HostOptions): Host => {
  const openOnly = (): void => {
    if (options.sealed?.() === true) throw new KError("access", "a dry run writes no file and runs no command")
  }
  const files = fencedFiles(fence(options.roots, options.closed))
  let folder = process.cwd()

  const reach = <A>(path: string, use: (absolute: string) => A): A => {
    try {
      // Decoding could turn two names that are not UTF-8 into the same text, and so the same file.
      if (toBytes(fromBytes(path)) !== path) throw new Outside(`a file name that is no UTF-8: ${JSON.stringify(path)}`)
      return use(resolve(folder, fromBytes(path)))
    } catch (error) {
      throw error instanceof Outside
        ? new KError("access", toBytes(error.message))
        : fileError(error, toBytes(resolve(folder, fromBytes(path))))
    }
  }

  /** The path of a script, sought in the working folder, then in the roots. An existing file that cannot be read gives the error. */
  const script = (name: string): string => {
    const places = [...new Set([folder, ...options.roots.map((root) => resolve(root))])]
    const failures: KError[] = []
    for (const path of scriptPaths(fromBytes(name), places))
      try {
        return reach(toBytes(path), (absolute) => (files.size(absolute), toBytes(absolute)))
      } catch (error) {
        failures.push(error as KError)
      }
    const isThere = failures.find(({ kind }) => kind !== "absent" && kind !== "access")
    if (isThere !== undefined || !failures.some(({ kind }) => kind === "absent")) throw isThere ?? failures[0]!
    throw new KError("absent", { what: "nowhere", name, folders: places.map(toBytes) })
  }

  return {
    write: options.write,
    input: options.input,
    quotesCut: options.quotesCut,
    // `MCP_DEBUG=1`: evaluation is traced to standard error.
    trace: ["1", "true"].includes(process.env["MCP_DEBUG"] ?? "") ? (line) => writeError(`k3: ${fromBytes(line)}\n`) : undefined,
    interrupted: options.interrupted,
    exit: options.exit,
    now: Date.now,
    zoneOffset: (ms) => -new Date(ms).getTimezoneOffset(),
    memoryUsed: () => options.memory.used(),
    room: (bytes) => (bytes === 0 ? !options.memory.isFull() : options.memory.hasRoom(bytes)),
    unfilled: (bytes) => Buffer.allocUnsafeSlow(bytes).buffer,
    env: environment(options.args),
    files: {
      read: (path, first, most) => reach(path, (absolute) => files.read(absolute, first, most)),
      script,
      write: (path, data) => (openOnly(), reach(path, (absolute) => files.write(absolute, data))),
      patch: (path, pieces) => (openOnly(), reach(path, (absolute) => files.patch(absolute, pieces))),
      size: (path) => reach(path, files.size),
      list: (path) => reach(path, (absolute) => files.list(absolute).map((name) => name.toString("latin1"))),
      cd: (path) => {
        if (path !== undefined) folder = reach(path, files.folder)
        return toBytes(folder)
      },
    },
    shell: (command) => {
      openOnly()
      if (options.shell === "allow") return runCommand(command, folder)
      const word = command.split(/\s/, 1)[0]
      throw new KError("access", `\\${word} is no command of K, and shell commands are not allowed here; --shell allow allows them`)
    },
  }
}

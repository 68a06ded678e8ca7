/**
 * Access to files below the roots of a fence, safe against other processes that move files meanwhile.
 *
 * Guarantees: a file or folder lies below a root when it is opened, also when another process replaces it or a parent folder by a link between
 * check and use. On Linux the parent folder is opened first, its real path is read from /proc, and the file is opened in that folder without
 * following a link; on other systems the path is checked again after opening, before anything is truncated or written. Pipes, sockets and
 * devices are refused. `write` leaves the old file or the whole new one: it writes a draft beside the file, with its mode and owner, and renames it
 * when the data is on disk.
 *
 * Does not: recognise hard links or mounted folders; on other systems than Linux, keep such a race from making an empty file outside the roots.
 * `write` writes in place, and a full disk leaves a partial file, if the file has several names, or folder or owner allow no draft. `patch` always
 * writes in place. A process that is killed during `write` leaves its draft, `.k3-draft-…`.
 */
import {
  constants,
  fchmodSync,
  fchownSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { basename, dirname, join } from "node:path"
import type { FilePiece } from "../k3/k3.ts"
import { type PathCheck, Outside } from "./fence.ts"
import { inFolder, ownDescriptors, using } from "./inFolder.ts"
import { withFallback } from "./withFallback.ts"

// Windows lacks some of these: `undefined` counts as 0 in `|`.
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants
/** Follows no link, and does not block on a pipe without another end. */
const careful = O_NOFOLLOW | O_NONBLOCK

/** The system's text: "no such file or directory" of "ENOENT: no such file or directory, open 'x'". */
export const systemText = (error: unknown): string => {
  const { message } = error as Error
  return /^[A-Z0-9]+: ([^,]+)/.exec(message)?.[1] ?? message
}

/** Every path is absolute. The functions throw `Outside` or a system error. */
export interface FencedFiles {
  /** At most `most` bytes from `first` on. A file with size 0, as in /proc, is read to its end. */
  readonly read: (path: string, first?: number, most?: number) => Uint8Array
  /** Makes a file or replaces it. */
  readonly write: (path: string, data: string | Uint8Array) => void
  /** Writes pieces into an existing file, in order. */
  readonly patch: (path: string, pieces: readonly FilePiece[]) => void
  /** The file's size in bytes. */
  readonly size: (path: string) => number
  /** The names in a folder, as bytes: they need not be UTF-8. */
  readonly list: (path: string) => Buffer[]
  /** The real path of an existing folder. */
  readonly folder: (path: string) => string
}

const readPart = (file: number, first: number, most: number): Uint8Array => {
  const { size } = fstatSync(file)
  if (size === 0) return new Uint8Array(readFileSync(file)).subarray(first)
  const bytes = new Uint8Array(Math.max(0, Math.min(most, size - first)))
  let n = 0
  for (let more = -1; n < bytes.length && more !== 0; n += more) more = readSync(file, bytes, n, bytes.length - n, first + n)
  return bytes.subarray(0, n)
}

/**
 * Gives the file this owner and mode, then flushes it to disk. Throws if this process may not set the owner. As when a file is written in place,
 * the bits by which a program runs as its owner or group are lost.
 */
const becomeLike = (file: number, { uid, gid, mode }: Stats): void => {
  const own = fstatSync(file)
  if (own.uid !== uid || own.gid !== gid) fchownSync(file, uid, gid)
  fchmodSync(file, mode & 0o777)
  fdatasyncSync(file)
}

const special = (real: string): Outside => new Outside(`${real} is neither a file nor a folder`)

const openRegular = (way: string, real: string, flags: number, mode: number): number => {
  try {
    return openSync(way, flags | careful, mode)
  } catch (error) {
    // A pipe that nobody reads, or a socket.
    throw (error as NodeJS.ErrnoException).code === "ENXIO" ? special(real) : error
  }
}

/** Processes in different fences may have one process id, and write into one folder. */
const draftName = (): string => `.k3-draft-${Math.random().toString(36).slice(2)}`

/** `descriptors`: the folder of this process's descriptors; null on a system without one. */
export const fencedFiles = (inside: PathCheck, descriptors: string | null = ownDescriptors): FencedFiles => {
  /** Calls `use` with a path to `real` that no other process can redirect through a link. */
  const at = <A>(path: string, use: (way: string, real: string) => A): A => {
    const real = inside(path)
    const parent = dirname(real)
    if (descriptors === null || parent === real) return use(real, real)
    return inFolder(parent, (way) => use(`${way}/${basename(real)}`, real), descriptors)
  }

  /** Throws if the open file is no file or folder, or, on a system without such descriptors, no longer the one at its path. */
  const check = (file: number, real: string): void => {
    const opened = fstatSync(file)
    if (!opened.isFile() && !opened.isDirectory()) throw special(real)
    if (descriptors !== null) return
    const now = lstatSync(inside(real))
    if (now.ino !== opened.ino || now.dev !== opened.dev) throw new Outside(`${real} was moved while it was opened`)
  }

  /** Opens the file at `way`, whose real path is `real`, and checks it. `mode`: of a new file. */
  const opened = <A>(way: string, real: string, flags: number, use: (file: number) => A, mode = 0o666): A =>
    using(openRegular(way, real, flags, mode), (file) => {
      check(file, real)
      return use(file)
    })

  const open = <A>(path: string, flags: number, use: (file: number, real: string) => A): A =>
    at(path, (way, real) => opened(way, real, flags, (file) => use(file, real)))

  /** The attributes of the existing file; undefined if there is none. Throws if it may not be written. */
  const writable = (way: string, real: string): Stats | undefined => {
    try {
      return opened(way, real, O_WRONLY, (file) => fstatSync(file))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
      throw error
    }
  }

  const overwrite = (way: string, real: string, data: string | Uint8Array): void =>
    opened(way, real, O_WRONLY, (file) => {
      ftruncateSync(file)
      writeFileSync(file, data)
    })

  return {
    read: (path, first = 0, most = Infinity) => open(path, O_RDONLY, (file) => readPart(file, first, most)),
    write: (path, data) =>
      at(path, (way, real) => {
        const before = writable(way, real)
        if (before !== undefined && before.nlink > 1) return overwrite(way, real, data)
        const draft = join(dirname(way), draftName())
        try {
          opened(
            draft,
            join(dirname(real), basename(draft)),
            O_WRONLY | O_CREAT | O_EXCL,
            (file) => {
              writeFileSync(file, data)
              if (before !== undefined) becomeLike(file, before)
            },
            before === undefined ? 0o666 : 0o600,
          )
          renameSync(draft, way)
        } catch (error) {
          withFallback(() => unlinkSync(draft), undefined)
          if (before === undefined || !["EACCES", "EPERM", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error
          overwrite(way, real, data)
        }
      }),
    patch: (path, pieces) =>
      open(path, O_WRONLY, (file) => {
        for (const { at, bytes } of pieces)
          for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done, bytes.length - done, at + done)
      }),
    size: (path) => open(path, O_RDONLY, (file) => fstatSync(file).size),
    list: (path) =>
      open(path, O_RDONLY | O_DIRECTORY, (file, real) => readdirSync(descriptors === null ? real : `${descriptors}/${file}`, "buffer")),
    folder: (path) =>
      at(path, (way, real) => {
        if (!lstatSync(way).isDirectory()) throw Object.assign(new Error("ENOTDIR: not a directory"), { code: "ENOTDIR" })
        return real
      }),
  }
}

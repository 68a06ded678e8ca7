/**
 * Files below the roots of a fence, and nothing else, whoever moves things while they are used.
 *
 * Guarantees: what is read, written, listed or measured lies below a root when it is opened, also when another process swaps a folder
 * or the file for a link between the look and the use: on Linux the folder is opened first, its place is asked of the system, and the
 * file is opened in that very folder without following a link; elsewhere the place is looked at again when the file is open, and nothing
 * is cut or written before. Pipes, sockets and devices are refused. A file that is written whole is the old one or the new one: a draft
 * beside it takes its place, with its mode and owner, when the disk has it all.
 *
 * Does not: tell a hard link, or a mounted folder, from what it stands for; elsewhere than on Linux keep such a race from making an empty
 * file outside. A file with several names, or one whose folder or owner allows no draft to take its place, is written in place, and a full
 * disk leaves part of it; `patch` writes in place always. A process that is killed while it writes leaves its draft, `.k3-draft-…`.
 */
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
} from "node:fs"
import { readdirSync, readFileSync, readlinkSync, readSync, renameSync, type Stats, unlinkSync, writeFileSync, writeSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { Piece } from "../k3/k3.ts"
import { type Fence, Outside } from "./fence.ts"

// Windows has not all of them, and what is not there is 0 among the others.
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants
/** fcntl.h of Linux: a descriptor for the place alone, which needs no right to read the folder. Node has no name for it. */
const O_PATH = 0x200000
/** Never through a link, and a pipe without another end does not block. */
const careful = O_NOFOLLOW | O_NONBLOCK

/** Where Linux shows a process its own descriptors: a path through one leads to what is open, wherever that was moved. */
const ownDescriptors = process.platform === "linux" && existsSync("/proc/self/fd") ? "/proc/self/fd" : null

/** The system's text: "no such file or directory" of "ENOENT: no such file or directory, open 'x'". */
export const systemText = (error: unknown): string => {
  const { message } = error as Error
  return /^[A-Z0-9]+: ([^,]+)/.exec(message)?.[1] ?? message
}

/** Every path is absolute. Throws `Outside`, or what the system says. */
export interface FencedFiles {
  /** All bytes, or as many as `most` and the file has from `first` on; those of a file of size 0, as in /proc, from there on. */
  readonly read: (path: string, first?: number, most?: number) => Uint8Array
  /** Makes a file or replaces it. */
  readonly write: (path: string, data: string | Uint8Array) => void
  /** Puts bytes into a file that is there, one piece after the other. */
  readonly patch: (path: string, pieces: readonly Piece[]) => void
  /** Bytes. */
  readonly size: (path: string) => number
  /** Names as the system has them, which need not be UTF-8. */
  readonly list: (path: string) => Buffer[]
  /** The real path of a folder that is there. */
  readonly folder: (path: string) => string
}

const using = <A>(file: number, use: (file: number) => A): A => {
  try {
    return use(file)
  } finally {
    closeSync(file)
  }
}

const readPart = (file: number, first: number, most: number): Uint8Array => {
  const { size } = fstatSync(file)
  if (size === 0) return new Uint8Array(readFileSync(file)).subarray(first)
  const bytes = new Uint8Array(Math.max(0, Math.min(most, size - first)))
  let n = 0
  for (let more = -1; n < bytes.length && more !== 0; n += more) more = readSync(file, bytes, n, bytes.length - n, first + n)
  return bytes.subarray(0, n)
}

const attempt = (work: () => void): void => {
  try {
    work()
  } catch {
    // What fails here was only tidying up.
  }
}

/** Throws when this process may not give it that owner. The disk has all of it afterwards. */
const becomeLike = (file: number, { uid, gid, mode }: Stats): void => {
  const own = fstatSync(file)
  if (own.uid !== uid || own.gid !== gid) fchownSync(file, uid, gid)
  fchmodSync(file, mode & 0o7777)
  fdatasyncSync(file)
}

let drafts = 0

/** `descriptors` is null where the system has no such folder. */
export const fencedFiles = (inside: Fence, descriptors: string | null = ownDescriptors): FencedFiles => {
  /** Calls with a path that leads to `real` and cannot be bent on its way. */
  const at = <A>(path: string, use: (way: string, real: string) => A): A => {
    const real = inside(path)
    const parent = dirname(real)
    if (descriptors === null || parent === real) return use(real, real)
    return using(openSync(parent, O_PATH | O_DIRECTORY | O_NOFOLLOW), (folder) => {
      if (readlinkSync(`${descriptors}/${folder}`) !== parent) throw new Outside(`${real} was moved while it was opened`)
      return use(`${descriptors}/${folder}/${basename(real)}`, real)
    })
  }

  /** Is what is open still what its path leads to, where that is asked by path? */
  const check = (file: number, real: string): void => {
    const opened = fstatSync(file)
    if (!opened.isFile() && !opened.isDirectory()) throw new Outside(`${real} is neither a file nor a folder`)
    if (descriptors !== null) return
    const now = lstatSync(inside(real))
    if (now.ino !== opened.ino || now.dev !== opened.dev) throw new Outside(`${real} was moved while it was opened`)
  }

  const open = <A>(path: string, flags: number, use: (file: number, real: string) => A): A =>
    at(path, (way, real) =>
      using(openSync(way, flags | careful, 0o666), (file) => {
        check(file, real)
        return use(file, real)
      }),
    )

  /** What is there, when it may be written; undefined when nothing is. */
  const writable = (way: string, real: string): Stats | undefined => {
    try {
      return using(openSync(way, O_WRONLY | careful), (file) => {
        check(file, real)
        return fstatSync(file)
      })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
      throw error
    }
  }

  const overwrite = (way: string, real: string, data: string | Uint8Array): void =>
    using(openSync(way, O_WRONLY | careful), (file) => {
      check(file, real)
      ftruncateSync(file)
      writeFileSync(file, data)
    })

  return {
    read: (path, first = 0, most = Infinity) => open(path, O_RDONLY, (file) => readPart(file, first, most)),
    write: (path, data) =>
      at(path, (way, real) => {
        const before = writable(way, real)
        if (before !== undefined && before.nlink > 1) return overwrite(way, real, data)
        const draft = join(dirname(way), `.k3-draft-${process.pid}-${++drafts}`)
        try {
          using(openSync(draft, O_WRONLY | O_CREAT | O_EXCL | careful, before === undefined ? 0o666 : 0o600), (file) => {
            check(file, join(dirname(real), basename(draft)))
            writeFileSync(file, data)
            if (before !== undefined) becomeLike(file, before)
          })
          renameSync(draft, way)
        } catch (error) {
          attempt(() => unlinkSync(draft))
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

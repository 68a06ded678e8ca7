/**
 * A file system in memory that computes the contents of a disk after a power cut. Guarantees: the content of a flushed file is on the disk; a new,
 * changed or removed name is when its folder was flushed; every other change is there or not, by chance, and an unflushed file may be there in
 * part. Does not: support permissions, times, or parts of Effect's file system that the store does not use.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type PlatformError, systemError } from "effect/PlatformError"

interface File {
  readonly kind: "file"
  now: Uint8Array
  flushed: Uint8Array
}
interface Folder {
  readonly kind: "folder"
  readonly now: Map<string, Node>
  flushed: Map<string, Node>
  /** The names changed since the last flush, each with the call that changed it: a rename is one change of two names. */
  changed: Map<string, object>
}
type Node = File | Folder

/** The contents of a disk: paths and contents; null for a folder. */
export type Tree = ReadonlyMap<string, Uint8Array | null>

const folder = (): Folder => ({ kind: "folder", now: new Map(), flushed: new Map(), changed: new Map() })

/** Changes names of a folder in one step. */
const change = (within: Folder, names: Readonly<Record<string, Node | undefined>>): void => {
  const together = {}
  for (const [name, node] of Object.entries(names)) {
    within.changed.set(name, together)
    if (node === undefined) within.now.delete(name)
    else within.now.set(name, node)
  }
}

const fail = (method: string, tag: "NotFound" | "AlreadyExists" | "Unknown", code: string): PlatformError =>
  systemError({ _tag: tag, module: "FileSystem", method, cause: Object.assign(new Error(code), { code }) })
const missing = (method: string): PlatformError => fail(method, "NotFound", "ENOENT")

const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))

/** A file with a partly written change: its unchanged beginning, and `part` (0 to 1) of the rest. */
const torn = ({ now, flushed }: File, part: number): Uint8Array => {
  let same = 0
  while (same < flushed.length && flushed[same] === now[same]) same++
  return now.subarray(0, same + Math.ceil(part * (now.length - same)))
}

export class PowerDisk {
  /** The calls that change the disk, in order. */
  readonly calls: string[] = []
  /** Called before each such call, and at the end. */
  onCut: () => void = () => {}
  private readonly root = folder()

  constructor(tree: Tree = new Map()) {
    for (const [path, content] of tree) {
      const [parent, name] = this.parentOf(path)
      const node: Node = content === null ? folder() : { kind: "file", now: content, flushed: content }
      parent!.now.set(name, node)
      parent!.flushed.set(name, node)
    }
  }

  /** The contents of the disk after a power cut now: all flushed changes, and those others for which `luck` returns 0.5 or more. */
  afterCut(luck: () => number): Tree {
    const tree = new Map<string, Uint8Array | null>()
    const decided = new Map<object | undefined, boolean>([[undefined, true]])
    const isThere = (call: object | undefined): boolean => {
      if (!decided.has(call)) decided.set(call, luck() >= 0.5)
      return decided.get(call)!
    }
    const visit = (path: string, node: Folder): void => {
      for (const name of new Set([...node.flushed.keys(), ...node.now.keys()])) {
        const child = isThere(node.changed.get(name)) ? node.now.get(name) : node.flushed.get(name)
        if (child === undefined) continue
        const at = `${path}/${name}`
        if (child.kind === "folder") {
          tree.set(at, null)
          visit(at, child)
          continue
        }
        tree.set(at, luck() < 0.5 ? child.flushed : torn(child, luck()))
      }
    }
    visit("", this.root)
    return tree
  }

  private node(path: string): Node | undefined {
    let at: Node | undefined = this.root
    for (const part of path.split("/").filter((each) => each !== "")) at = at?.kind === "folder" ? at.now.get(part) : undefined
    return at
  }

  private parentOf(path: string): readonly [Folder | undefined, string] {
    const cut = path.lastIndexOf("/")
    const parent = this.node(path.slice(0, cut))
    return [parent?.kind === "folder" ? parent : undefined, path.slice(cut + 1)]
  }

  private changing<A>(call: string, change: () => Effect.Effect<A, PlatformError>): Effect.Effect<A, PlatformError> {
    return Effect.suspend(() => {
      this.onCut()
      this.calls.push(call)
      return change()
    })
  }

  private looking<A>(method: string, path: string, look: (node: Node) => A): Effect.Effect<A, PlatformError> {
    return Effect.suspend(() => {
      const found = this.node(path)
      return found === undefined ? Effect.fail(missing(method)) : Effect.succeed(look(found))
    })
  }

  private info(node: Node): FileSystem.File.Info {
    const size = node.kind === "file" ? node.now.length : 0
    return {
      type: node.kind === "file" ? "File" : "Directory",
      mode: 0o700,
      uid: Option.none(),
      ino: Option.none(),
      mtime: Option.none(),
      size,
    } as never
  }

  private open(path: string, flag: string): Effect.Effect<FileSystem.File, PlatformError> {
    return Effect.suspend(() => {
      const [parent, name] = this.parentOf(path)
      let node = this.node(path)
      if (node === undefined) {
        if (flag === "r" || parent === undefined) return Effect.fail(missing("open"))
        node = { kind: "file", now: new Uint8Array(), flushed: new Uint8Array() }
        const made = node
        return Effect.map(
          this.changing(`create ${path}`, () => Effect.sync(() => change(parent, { [name]: made }))),
          () => this.handle(path, made),
        )
      }
      if (flag === "wx") return Effect.fail(fail("open", "AlreadyExists", "EEXIST"))
      return Effect.succeed(this.handle(path, node))
    })
  }

  private handle(path: string, node: Node): FileSystem.File {
    const file = (): File => node as File
    return {
      sync: this.changing(`flush ${path}`, () =>
        Effect.sync(() => {
          if (node.kind === "file") node.flushed = node.now
          else {
            node.flushed = new Map(node.now)
            node.changed = new Map()
          }
        }),
      ),
      writeAll: (bytes: Uint8Array) =>
        this.changing(`write ${path}`, () => Effect.sync(() => void (file().now = joined(file().now, bytes)))),
      read: (into: Uint8Array, { position = 0n }: { readonly position?: bigint } = {}) =>
        Effect.sync(() => {
          const part = file().now.subarray(Number(position), Number(position) + into.length)
          into.set(part)
          return part.length
        }),
    } as never
  }

  readonly layer: Layer.Layer<FileSystem.FileSystem> = Layer.succeed(
    FileSystem.FileSystem,
    FileSystem.makeNoop({
      exists: (path) => Effect.sync(() => this.node(path) !== undefined),
      stat: (path) => this.looking("stat", path, (node) => this.info(node)),
      lstat: (path) => this.looking("lstat", path, (node) => this.info(node)),
      realPath: (path) => Effect.succeed(path),
      readFile: (path) => this.looking("readFile", path, (node) => (node as File).now),
      readDirectory: (path) => this.looking("readDirectory", path, (node) => [...(node as Folder).now.keys()]),
      open: (path, options) => this.open(path, options?.flag ?? "r"),
      makeDirectory: (path) =>
        this.changing(`mkdir ${path}`, () => {
          const [parent, name] = this.parentOf(path)
          if (parent === undefined) return Effect.fail(missing("makeDirectory"))
          return Effect.sync(() => change(parent, { [name]: folder() }))
        }),
      truncate: (path, length = 0) =>
        this.changing(`truncate ${path}`, () =>
          this.looking("truncate", path, (node) => void ((node as File).now = (node as File).now.slice(0, length))),
        ),
      rename: (from, to) =>
        this.changing(`rename ${from} ${to}`, () => {
          const [old, name] = this.parentOf(from)
          const [parent, as] = this.parentOf(to)
          const node = old?.now.get(name)
          if (node === undefined || parent === undefined || parent !== old) return Effect.fail(missing("rename"))
          return Effect.sync(() => change(parent, { [name]: undefined, [as]: node }))
        }),
      remove: (path) =>
        this.changing(`remove ${path}`, () => {
          const [parent, name] = this.parentOf(path)
          return Effect.sync(() => parent && change(parent, { [name]: undefined }))
        }),
    }),
  )
}

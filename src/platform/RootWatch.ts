/**
 * Places in the roots that run, or steer a program, outside later: those that are there, and those that appear while K code runs.
 *
 * Guarantees: a place of such a name that appears in a watched folder while an evaluation runs, or within `AFTER_MS` of its end, is moved out of the root and
 * told; one that appears at another time is told alone, since it may be the person's. A place is known by its name and its inode, so one that takes the place of
 * another counts. A file of such a name that is written to meanwhile is told. Does not: watch more than `FOLDERS` folders of a root or what lies in node_modules; follow links; know who made a place; see what the system did not tell since too
 * much happened at once.
 */
import { cpSync, type Dirent, type FSWatcher, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, watch } from "node:fs"
import { readdir } from "node:fs/promises"
import { basename, join } from "node:path"
import { isBuildFile, isProject, isProtected } from "../child/fence/protectedPaths.ts"

/** Folders looked into for each root, breadth first. */
const FOLDERS = 5000
const AFTER_MS = 1000
const GATHER_MS = 50

interface Found {
  readonly readOnly: readonly string[]
  readonly folders: readonly string[]
}

/** `builds`: places of a .NET build too. A link of such a name is left alone: what is read-only would be what it leads to. */
export const look = async (root: string, builds: boolean): Promise<Found> => {
  const readOnly: string[] = []
  const folders = [root]
  for (let i = 0; i < folders.length && i < FOLDERS; i++) {
    const folder = folders[i]!
    const entries: readonly Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => [])
    if (builds && folder !== root && entries.some(({ name }) => isProject(name))) {
      readOnly.push(folder)
      continue
    }
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.isSymbolicLink()) continue
      if (isProtected(entry.name) || (builds && isBuildFile(entry.name))) readOnly.push(path)
      else if (entry.isDirectory() && entry.name !== "node_modules") folders.push(path)
    }
  }
  return { readOnly, folders: folders.slice(0, FOLDERS) }
}

export class RootWatch {
  private readonly watchers = new Map<string, FSWatcher>()
  private readonly known = new Map<string, number>()
  private readonly pending = new Map<string, boolean>()
  private timer: NodeJS.Timeout | undefined
  private sentences: string[] = []
  private running = 0
  private endedAt = Number.NEGATIVE_INFINITY
  /** The engine whose evaluation runs, or ran last, can make folders. */
  private makesFolders = false

  /** `aside`: the folder for what is moved out of a root, which no child sees. */
  constructor(private readonly aside: string) {}

  began(makesFolders: boolean): void {
    this.makesFolders = makesFolders || (this.running > 0 && this.makesFolders)
    this.running++
  }

  ended(): void {
    this.flush()
    this.running--
    this.endedAt = performance.now()
  }

  /** What is to be told, once. */
  take(): readonly string[] {
    const { sentences } = this
    if (sentences.length > 0) this.sentences = []
    return sentences
  }

  /** All places of the root that were ever found: many folders that K code makes must not hide one from a later launch. */
  watch({ readOnly, folders }: Found, root: string, builds: boolean): readonly string[] {
    for (const path of readOnly) this.note(path)
    for (const folder of folders) this.follow(folder, builds)
    const earlier = [...this.known].flatMap(([path, inode]) => (path.startsWith(`${root}/`) && inodeOf(path)?.ino === inode ? [path] : []))
    return [...new Set([...readOnly, ...earlier])]
  }

  close(): void {
    clearTimeout(this.timer)
    for (const watcher of this.watchers.values()) watcher.close()
    this.watchers.clear()
  }

  private note(path: string): void {
    const inode = inodeOf(path)
    if (inode !== undefined) this.known.set(path, inode.ino)
  }

  private follow(folder: string, builds: boolean): void {
    if (this.watchers.has(folder) || this.watchers.size >= FOLDERS) return
    try {
      const watcher = watch(folder, { persistent: false }, (event, name) => {
        if (name === null) return
        if (event === "rename") this.heard(join(folder, name), builds)
        else if (isProtected(name)) this.written(join(folder, name))
      })
      watcher.on("error", () => this.forget(folder))
      this.watchers.set(folder, watcher)
    } catch {
      // It is gone, or the system watches no more of them.
    }
  }

  /** The first is looked at now, those that follow it closely together, each name once: a storm of renames must not take the server's time. */
  private heard(path: string, builds: boolean): void {
    this.pending.set(path, builds)
    if (this.timer !== undefined) return
    this.flush()
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.flush()
    }, GATHER_MS).unref()
  }

  private flush(): void {
    const pending = [...this.pending]
    this.pending.clear()
    for (const [path, builds] of pending) this.changed(path, builds)
  }

  private forget(folder: string): void {
    this.watchers.get(folder)?.close()
    this.watchers.delete(folder)
  }

  private changed(path: string, builds: boolean): void {
    const found = inodeOf(path)
    if (found === undefined) return this.forget(path)
    if (isProtected(basename(path)) || (builds && isBuildFile(basename(path)))) {
      if (this.known.get(path) !== found.ino) this.appeared(path, found.ino, found.isDirectory())
    } else if (found.isDirectory() && basename(path) !== "node_modules") {
      this.forget(path)
      this.follow(path, builds)
      for (const name of namesIn(path)) this.changed(join(path, name), builds)
    }
  }

  /** A file that was replaced since the launch is another one, which is not read-only inside. */
  private written(path: string): void {
    const sentence = `${path} changed while K code ran, and programs outside of the fence heed it. Look at it if you did not change it.`
    if (this.mayBeK() && inodeOf(path)?.isFile() === true && !this.sentences.includes(sentence)) this.sentences.push(sentence)
  }

  private mayBeK(): boolean {
    return this.running > 0 || performance.now() - this.endedAt < AFTER_MS
  }

  private appeared(path: string, inode: number, isFolder: boolean): void {
    // Not the work of an engine that makes none.
    if (isFolder && !this.makesFolders) return void this.known.set(path, inode)
    const place = this.mayBeK() ? this.moveAside(path) : undefined
    if (place === undefined) this.known.set(path, inode)
    this.sentences.push(
      place === undefined
        ? `${path} is new, and programs outside of the fence heed it. Look at it if you did not make it.`
        : `${path} appeared while K code ran; programs outside of the fence would heed it, so it was moved to ${place}. Move it back if you made it.`,
    )
  }

  private moveAside(path: string): string | undefined {
    const place = join(this.aside, `${Date.now()}-${process.pid}-${basename(path)}`)
    try {
      mkdirSync(this.aside, { recursive: true, mode: 0o700 })
      try {
        renameSync(path, place)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error
        cpSync(path, place, { recursive: true, verbatimSymlinks: true, errorOnExist: true })
        rmSync(path, { recursive: true, force: true })
      }
      return place
    } catch {
      return undefined
    }
  }
}

const inodeOf = (path: string) => {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

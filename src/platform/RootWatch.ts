/**
 * Watches the roots for new protected files and folders: paths such as `.git` and `.mcp.json` that programs outside the fence run or obey
 * (`protectedPaths.ts`), folders of the PATH and files that name programs, and links on the way to these. Protected paths that exist at a launch are
 * read-only for the child and need no watch; links are not, and are watched.
 *
 * Guarantees: a protected path that appears while K code may run (`CodeActivity.ts`) is moved away (`quarantine.ts`), and the next reply says where
 * to. A protected path that appears at another time is taken for the person's: it stays, and the next reply names it; so does one that was known and
 * moved, as with a folder around it, where the file system has birth times. A path that replaces another one has appeared too. A protected file that is
 * written to while K code may run is named in the next reply. A reply names `SENTENCES` of them, and counts the others. Once, a reply says that there
 * are folders without a watch. A root that is moved, or a folder around it, is still watched, since a child stays in it, until a launch finds another
 * folder at its path.
 *
 * Does not: know the maker of a file: a file that the person makes while K code runs is moved as well; undo writes to a file that the person replaced
 * since the launch; watch more than `FOLDERS` folders of a root, those in node_modules that do not lead to a folder of the PATH, or folders behind
 * links.
 */
import {
  closeSync,
  type Dirent,
  fstatSync,
  type FSWatcher,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
  watch,
} from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { isWithin } from "../child/fence/FencePlan.ts"
import { isProtected } from "../child/fence/protectedPaths.ts"
import { CodeActivity } from "./CodeActivity.ts"
import { isLeftRunning } from "./isLeftRunning.ts"
import { type RootContents, FOLDERS, searchRoot } from "./rootSearch.ts"
import { quarantine } from "./quarantine.ts"
import { openFolder, ownDescriptors } from "../repl/inFolder.ts"
import { withFallback } from "../repl/withFallback.ts"

const AFTER_MS = 1000
const GATHER_MS = 50
/** After so many changes since the last search the system may have dropped some: its queue holds 16,384. */
const STORM = 8192
/** The most sentences for one reply: K code can make very many files. */
const SENTENCES = 20

export class RootWatch {
  private readonly watchers = new Map<string, FSWatcher>()
  /** The protected paths that were found. */
  private readonly known = new Map<string, Stats>()
  /** The paths in the roots that lead to a place of programs; true for the place itself. */
  private readonly programPaths = new Map<string, boolean>()
  /** The roots, and for each whether files of a .NET build count. */
  private readonly roots = new Map<string, boolean>()
  /** Each root's folder of the last launch, open: it may have another path by now, and another folder its path. */
  private readonly rootFolders = new Map<string, number>()
  private readonly pending = new Map<string, boolean>()
  private timer: NodeJS.Timeout | undefined
  private sentences: string[] = []
  /** The sentences since the last reply beyond `SENTENCES`. */
  private unsaid = 0
  /** The changes since the roots were last searched. */
  private changes = 0
  private storm: NodeJS.Timeout | undefined
  /** K code may run, or has run since the changes of the storm began: it may have made what the search will find. */
  private isStormOfK = false
  readonly activity: CodeActivity
  private isClosed = false
  /** A reply has been told, or will be, that some folders are not watched. */
  private isPartial = false

  /**
   * `aside`: the folder for moved files, which no child can see; `programPlaces`: folders of the PATH, and files that name programs. `lstat`: for tests
   * of file systems that tell less.
   */
  constructor(
    private readonly aside: string,
    private readonly programPlaces: readonly string[] = [],
    afterMs = AFTER_MS,
    private readonly lstat: (path: string) => Stats = lstatSync,
  ) {
    const isLeft = (engine: number) => isLeftRunning(engine, [...this.roots.keys(), "/tmp", "/dev/shm"], dirname(aside))
    this.activity = new CodeActivity(afterMs, (engine) => this.watchers.size > 0 && isLeft(engine))
  }

  /** Was this root searched before? */
  knows(root: string): boolean {
    return this.roots.has(root)
  }

  began(makesFolders: boolean): void {
    this.activity.began(makesFolders)
  }

  /** Called after an evaluation; `engine`: the pid of its engine. */
  ended(engine: number): void {
    this.flush()
    this.activity.ended(engine)
  }

  /** After `STORM` changes, the roots are searched as soon as the changes stop. */
  private countChange(): void {
    if (++this.changes < STORM) return
    if (!this.isStormOfK && this.activity.mayRun()) {
      this.isStormOfK = true
      this.activity.hold()
    }
    this.storm = this.storm?.refresh() ?? setTimeout(() => void this.searchAll(), GATHER_MS).unref()
  }

  private async searchAll(): Promise<void> {
    const isOfK = this.isStormOfK
    this.isStormOfK = false
    this.storm = undefined
    this.changes = 0
    for (const [root, builds] of this.roots) {
      this.watchPathsToPrograms(root, builds, false)
      for (const path of (await searchRoot(this.presentPath(root), builds)).readOnly) this.changed(path, builds)
    }
    if (isOfK) this.activity.release()
  }

  /** The sentences for the next reply, each once. */
  take(): readonly string[] {
    const { sentences, unsaid } = this
    if (sentences.length === 0) return sentences
    this.sentences = []
    this.unsaid = 0
    if (unsaid === 0) return sentences
    return [...sentences, `There were ${unsaid} more such changes. Files that were moved out of a root are in ${this.aside}.`]
  }

  private say(sentence: string): void {
    if (this.sentences.length < SENTENCES) this.sentences.push(sentence)
    else this.unsaid++
  }

  /**
   * Watches the folders of a root. Returns all protected paths of the root that exist and were ever found: K code must not hide one from a later
   * launch by making many folders. As in `searchRoot`, none is a link or lies behind one. The fence itself finds places of programs.
   */
  watch({ readOnly, folders }: RootContents, root: string, builds: boolean): readonly string[] {
    const isFirst = this.roots.get(root) !== builds
    this.roots.set(root, builds)
    this.forgetReplaced(root)
    // A path that only a later launch finds may have been made by K code a moment ago.
    for (const path of readOnly)
      if (isFirst) this.remember(path)
      else this.changed(path, builds)
    this.watchPathsToPrograms(root, builds, isFirst)
    for (const folder of folders) this.watchFolder(folder, builds)
    const paths = new Set(readOnly)
    for (const [path, found] of this.known)
      if (path.startsWith(`${root}/`) && !this.programPaths.has(path) && !paths.has(path) && this.isStill(path, found)) paths.add(path)
    return [...paths]
  }

  /** Forgets the watches of a root that was removed or moved, and made anew: they would follow the earlier folders. */
  private forgetReplaced(root: string): void {
    const earlier = this.rootFolders.get(root)
    const found = this.statsOf(root)
    if (this.isClosed || found === undefined || (earlier !== undefined && isSame(fstatSync(earlier), found, false))) return
    if (earlier !== undefined) closeSync(earlier)
    this.rootFolders.delete(root)
    // No link in its place: what it leads to is no root.
    withFallback(() => this.rootFolders.set(root, openFolder(root)), undefined)
    for (const folder of this.watchers.keys()) if (isWithin(folder, root)) this.forget(folder)
  }

  /** Ends the watch, also for a search that is still under way. */
  close(): void {
    this.isClosed = true
    clearTimeout(this.timer)
    this.activity.close()
    clearTimeout(this.storm)
    for (const watcher of this.watchers.values()) watcher.close()
    this.watchers.clear()
    for (const folder of this.rootFolders.values()) closeSync(folder)
    this.rootFolders.clear()
  }

  /** The path that a path of a root has now: the root, or a folder around it, may have been moved, with the child in it. */
  private presentPath(path: string): string {
    for (const [root, open] of this.rootFolders)
      if (isWithin(path, root)) return withFallback(() => readlinkSync(`${ownDescriptors}/${open}`), root) + path.slice(root.length)
    return path
  }

  private watchPathsToPrograms(root: string, builds: boolean, isFirst: boolean): void {
    for (const place of this.programPlaces) {
      const paths = pathsTo(place, root)
      for (const path of paths) {
        this.programPaths.set(path, this.programPaths.get(path) === true || path === paths.at(-1))
        const found = this.statsOf(path)
        if (found === undefined) continue
        if (!this.isHeeded(path, found, builds)) this.watchFolder(path, builds)
        else if (isFirst) this.remember(path)
        else this.changed(path, builds)
      }
    }
  }

  /** Do programs outside of the fence heed the path: run it, obey it, or find programs through it? */
  private isHeeded(path: string, found: Stats | Dirent, builds: boolean): boolean {
    const isPlace = this.programPaths.get(path) === true && !this.roots.has(path)
    return isProtected(basename(path), builds) || isPlace || (this.programPaths.has(path) && found.isSymbolicLink())
  }

  /** In node_modules, only paths that lead to a place of programs are watched. */
  private isWatched(path: string): boolean {
    const isInModules = basename(dirname(path)) === "node_modules" && !this.roots.has(dirname(path))
    return this.programPaths.has(path) || (basename(path) !== "node_modules" && !isInModules)
  }

  private isStill(path: string, found: Stats): boolean {
    return !found.isSymbolicLink() && this.statsOf(path)?.ino === found.ino && !isBehindLink(path)
  }

  private statsOf(path: string): Stats | undefined {
    return withFallback(() => this.lstat(path), undefined)
  }

  private remember(path: string): void {
    const found = this.statsOf(path)
    if (found !== undefined) this.known.set(path, found)
  }

  private watchFolder(folder: string, builds: boolean): void {
    if (this.isClosed || this.watchers.has(folder)) return
    if (this.watchers.size >= FOLDERS) return this.leaveOut(`there are more than ${FOLDERS}`)
    try {
      const watcher = watch(folder, { persistent: false }, (event, name) => {
        if (name === null) return
        this.countChange()
        const path = join(folder, name)
        if (event === "rename") this.gather(path, builds)
        else if (isProtected(name, false) || this.programPaths.get(path) === true) this.written(this.presentPath(path))
      })
      watcher.on("error", () => this.forget(folder))
      this.watchers.set(folder, watcher)
    } catch (error) {
      // With another code, the folder is gone.
      if (/^(?:ENOSPC|EMFILE)$/.test((error as NodeJS.ErrnoException).code ?? ""))
        this.leaveOut("the system allows no more; raise fs.inotify.max_user_watches and fs.inotify.max_user_instances")
    }
  }

  /** Says once that a folder is not watched. */
  private leaveOut(why: string): void {
    if (this.isPartial) return
    this.isPartial = true
    this.say(
      `Not all folders of K3_ROOTS are watched: ${why}. A file such as .mcp.json that K code makes in the others stays until a later launch finds it.`,
    )
  }

  /** Handles the first change at once, and those of the next `GATHER_MS` together, each path once: a storm of renames must not block the server. */
  private gather(path: string, builds: boolean): void {
    this.pending.set(path, builds)
    if (this.timer !== undefined) return
    this.flush()
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.flush()
    }, GATHER_MS).unref()
  }

  private flush(): void {
    if (this.pending.size === 0) return
    const pending = [...this.pending]
    this.pending.clear()
    for (const [path, builds] of pending) this.changed(this.presentPath(path), builds, true)
  }

  private forget(folder: string): void {
    this.watchers.get(folder)?.close()
    this.watchers.delete(folder)
  }

  /** `isHeard`: the system told of a change in the folder around it, so it may be another one with the same inode. */
  private changed(path: string, builds: boolean, isHeard = false): void {
    if (!this.isWatched(path)) return
    const found = this.statsOf(path)
    if (found === undefined) return this.forget(path)
    if (this.isHeeded(path, found, builds)) {
      if (!isSame(this.known.get(path), found, isHeard) && !isBehindLink(path)) this.appeared(path, found)
    } else if (found.isDirectory() && !isBehindLink(path)) {
      this.forget(path)
      this.watchFolder(path, builds)
      // Nothing is asked of its other files, of which K code may make very many.
      for (const entry of withFallback(() => readdirSync(path, { withFileTypes: true }), [])) {
        const inside = join(path, entry.name)
        if (entry.isDirectory() || this.isHeeded(inside, entry, builds)) this.changed(inside, builds, isHeard)
      }
    }
  }

  /** Names a protected file that was written to: if it was replaced since the launch, it is not read-only for the child. */
  private written(path: string): void {
    const sentence = `${path} changed while K code ran, and programs outside of the fence heed it. Look at it if you did not change it.`
    if (this.activity.mayRun() && this.statsOf(path)?.isFile() === true && !this.sentences.includes(sentence)) this.say(sentence)
  }

  private appeared(path: string, found: Stats): void {
    // An engine that makes no folders did not make this one.
    if (found.isDirectory() && !this.activity.makesFolders) return void this.known.set(path, found)
    const earlier = this.earlierPath(path, found)
    const became = earlier === undefined && this.activity.mayRun() ? quarantine(path, this.aside) : undefined
    if (became === undefined) this.known.set(path, found)
    const [what, done] = earlier === undefined ? ["is new", "make"] : [`was moved from ${earlier}`, "move"]
    this.say(
      became === undefined
        ? `${path} ${what}, and programs outside of the fence heed it. Look at it if you did not ${done} it.`
        : `${path} appeared while K code ran; programs outside of the fence would heed it, so it was ${became}.`,
    )
  }

  /** The known path that was moved to this one, as with a folder around it; undefined for none. */
  private earlierPath(path: string, { ino, birthtimeMs }: Stats): string | undefined {
    // On a file system without birth times, K code could make a file with the inode of a known one that was removed.
    if (birthtimeMs === 0) return undefined
    for (const [earlier, known] of this.known)
      // An inode may be used again, but not with its birth time.
      if (known.ino === ino && known.birthtimeMs === birthtimeMs && basename(earlier) === basename(path) && !this.isStill(earlier, known))
        return earlier
    return undefined
  }
}

/** The paths in a root that lead to a place of programs, the place itself last. Each may be a folder, a link, or missing. */
const pathsTo = (place: string, root: string): readonly string[] => {
  const paths: string[] = []
  let around = "/"
  for (const name of resolve(place).split("/").filter(Boolean)) {
    const path = join(around, name)
    // Behind a link, also the folders around its target.
    for (let each = around; each.startsWith(`${root}/`) && !paths.includes(each); each = dirname(each)) paths.push(each)
    if (path.startsWith(`${root}/`)) paths.push(path)
    around = withFallback(() => realpathSync.native(path), path)
  }
  return paths
}

/**
 * `byBirth`: compare birth times too, since a new file often gets the inode of a removed one. Otherwise they do not count: in a container, a write to
 * a file of its image changes the birth time.
 */
const isSame = (known: Stats | undefined, found: Stats, byBirth: boolean): boolean =>
  known?.ino === found.ino && (!byBirth || known.birthtimeMs === found.birthtimeMs)

/** Was a folder around it replaced by a link since the change? */
const isBehindLink = (path: string): boolean => withFallback(() => realpathSync.native(dirname(path)), undefined) !== dirname(path)

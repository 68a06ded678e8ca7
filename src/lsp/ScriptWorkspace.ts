/**
 * The scripts of an editor's workspace: its open texts and the scripts below its folders. Each version is analysed once, when it is first asked for.
 *
 * Guarantees: an open text is used in place of its file; the files are the scripts below the roots that the interpreter would find, with bounds on
 * their size and number. Does not: watch files; each request checks time and size of the files.
 */
import { readFileSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { TextDocument } from "vscode-languageserver-textdocument"
import { fence } from "../repl/fence.ts"
import { allScriptFiles, scriptPaths } from "../repl/scriptFiles.ts"
import { type Analysis, analysisOf } from "./Analysis.ts"

/** The most bytes of a file that is read. */
const mostBytes = 1024 ** 2

/** A script with its address. Its line ends, for an editor a lone `\r` too, are `\n`, which changes no line or column number. */
export interface SourceScript extends Analysis {
  readonly uri: string
  readonly document: TextDocument
}

/** The text of a script as K reads it, each character in its place: a first line for a shell is a comment, a byte order mark a blank. */
const inPlace = (written: string): string => written.replace(/^(\ufeff?)#!/, "$1/!").replace(/^\ufeff/, " ")

const sourceOf = (uri: string, version: number, written: string): SourceScript => {
  const text = inPlace(written.replaceAll(/\r\n?/g, "\n"))
  return { uri, document: TextDocument.create(uri, "k3", version, text), ...analysisOf(text) }
}

/** Calls `make` at the first call, and gives its result at each. */
const once = <A>(make: () => A): (() => A) => {
  let made: A | undefined
  return () => (made ??= make())
}

/** Undefined when the address names no file of this computer. */
export const pathOf = (uri: string): string | undefined => {
  if (!uri.startsWith("file:")) return undefined
  try {
    return fileURLToPath(uri)
  } catch {
    // It names another computer, or has a `%` that stands for no character of a name.
    return undefined
  }
}

/** A key for the address: editors encode the same path in several ways. */
const keyOf = (uri: string): string => {
  const path = pathOf(uri)
  return path === undefined ? uri : pathToFileURL(path).href
}

export class ScriptWorkspace {
  private readonly given: readonly string[]
  private folders: readonly string[] = []
  private readonly open = new Map<string, { readonly version: number; readonly source: () => SourceScript }>()
  private readonly files = new Map<string, { readonly stamp: string; readonly source: SourceScript }>()

  /** `given`: the roots while the editor has no folder open. */
  constructor(
    given: readonly string[],
    private readonly closed: readonly string[],
  ) {
    this.given = given.map((root) => resolve(root))
  }

  /** Takes into account that the editor opened and closed folders. */
  enter(opened: readonly string[], left: readonly string[] = []): void {
    const gone = new Set(left.map((folder) => resolve(folder)))
    const all = [...this.folders.filter((folder) => !gone.has(folder)), ...opened.map((folder) => resolve(folder))]
    this.folders = [...new Set(all)]
  }

  private get roots(): readonly string[] {
    return this.folders.length > 0 ? this.folders : this.given
  }

  edit(uri: string, version: number, text: string): void {
    this.open.set(keyOf(uri), { version, source: once(() => sourceOf(uri, version, text)) })
  }

  close(uri: string): void {
    this.open.delete(keyOf(uri))
  }

  /** The open text of that address. */
  get(uri: string): SourceScript | undefined {
    return this.open.get(keyOf(uri))?.source()
  }

  /** Is the text still open in this version? */
  isOpen({ uri, document }: SourceScript): boolean {
    return this.open.get(keyOf(uri))?.version === document.version
  }

  private file(path: string): SourceScript | undefined {
    const uri = pathToFileURL(path).href
    const open = this.get(uri)
    if (open !== undefined) return open
    try {
      const { mtimeMs, size } = statSync(path)
      const stamp = `${mtimeMs} ${size}`
      const known = this.files.get(path)
      if (known?.stamp === stamp) return known.source
      if (size > mostBytes) return undefined
      const source = sourceOf(uri, 0, readFileSync(path, "utf8").replace(/^\ufeff/, ""))
      this.files.set(path, { stamp, source })
      return source
    } catch {
      // The file is gone, or not readable.
      return undefined
    }
  }

  /** All open texts and all scripts below the roots. */
  all(): readonly SourceScript[] {
    const found = new Map(Array.from(this.open, ([key, { source }]) => [key, source()]))
    for (const { path } of allScriptFiles(this.roots, fence(this.roots, this.closed))) {
      const source = this.file(path)
      if (source !== undefined) found.set(keyOf(source.uri), source)
    }
    return [...found.values()]
  }

  /** The script that `\l name` loads: sought in the folder of the text `from`, then in the roots. */
  loaded(from: SourceScript, name: string): SourceScript | undefined {
    const own = pathOf(from.uri)
    const inside = fence(this.roots, this.closed)
    for (const path of scriptPaths(name, [...(own === undefined ? [] : [dirname(own)]), ...this.roots]))
      try {
        if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return (inside(path), this.file(path))
      } catch {
        // The path is outside the roots.
      }
    return undefined
  }

  /** The scripts that a text loads, directly or through other scripts. */
  allLoaded(from: SourceScript): readonly SourceScript[] {
    const found = new Map<string, SourceScript>()
    const visit = (source: SourceScript): void => {
      for (const { name } of source.loads) {
        const loaded = this.loaded(source, name)
        if (loaded === undefined || found.has(loaded.uri) || loaded.uri === from.uri) continue
        found.set(loaded.uri, loaded)
        visit(loaded)
      }
    }
    visit(from)
    return [...found.values()]
  }
}

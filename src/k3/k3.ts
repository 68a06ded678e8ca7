/**
 * The boundary of the language: everything outside `src/k3` uses this module alone.
 *
 * `makeInterpreter(host)` gives an interpreter with an empty K tree. `evaluate` runs one statement (which may span lines while a
 * bracket is open) or one `\command`, writes what the console would print to `host.write`, and never throws: an error of K is
 * returned as data. All strings that cross are byte strings (one character per byte, 0 to 255).
 *
 * To read it all: values are `value.ts`, what they may cost `budget.ts`, what is under way `roots.ts`. Text becomes a tree in
 * `source.ts`, `lexer.ts`, `ast.ts`, `parser.ts`, the tree JavaScript in `compile.ts`, which tells of the files below it. Applying is `function.ts`, `apply.ts`,
 * `adverbs.ts`; changing `amend.ts`, `append.ts`; globals `tree.ts`, `Variables.ts`; showing `format.ts`, `render.ts`. What a verb does
 * stands behind its row in `primitives/table.ts` or `primitives/systemTable.ts`, and `interpreter.ts` puts all of it together.
 */

import type { CaptureLimits, Changes, Given, Lost, Workspace } from "./tree/Captures.ts"
import { Interp } from "./interpreter.ts"
import type { Look, View } from "./tree/look.ts"
import { systemNames as rows } from "./primitives/systemTable.ts"

export type { CaptureLimits, Workspace } from "./tree/Captures.ts"
export type { View } from "./tree/look.ts"
export { CLOSED, follow, isGoingOn, scriptText } from "./text/source.ts"

/** What the interpreter may ask of the world. Absent members make the verbs that need them raise `access` errors. */
export interface Host {
  /** Console output, in order. */
  write(text: string): void
  /** The next line of the input, without its end; undefined when there is none any more. Absent, ``0:` `` is a `nonce` error. */
  readonly input?: (() => string | undefined) | undefined
  /** Hears of each statement, call and variable written, one line each; absent, tracing costs nothing. */
  readonly trace?: ((line: string) => void) | undefined
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number
  /** Minutes to add to UTC for local time at that moment. */
  zoneOffset(ms: number): number
  /** Asked about every 10 ms of work: should the evaluation stop? */
  interrupted(): boolean
  /** Bytes in use, as `\w` and `_s` tell them. */
  memoryUsed(): number
  /** May so many more be held? */
  room(bytes: number): boolean
  /** Ends the process: `\\` and `_exit`. */
  exit(code: number): never
  /** Environment, user, host name, arguments: `_getenv _setenv _u _h _a _host`. */
  readonly env: {
    get(name: string): string | undefined
    set(name: string, value: string): void
    readonly user: string
    readonly host: string
    readonly args: readonly string[]
    /** IPv4 address as int32. */
    address(host: string): number | undefined
  }
  /** Files below the allowed roots. Every member throws `KError("access", why)` outside of them, and the system's text on failure. */
  readonly files: {
    /** The bytes from `first` (from 0) on, as many as `most` and the file has; all of them without. */
    read(path: string, first?: number, most?: number): Uint8Array
    /** `\l`: a script by its name, `.k` left out or not, in the working folder or another that scripts are kept in. */
    script(name: string): Uint8Array
    write(path: string, data: Uint8Array): void
    /** Puts bytes into a file that is there, over those it has and behind them, one piece after the other. */
    patch(path: string, pieces: readonly Piece[]): void
    size(path: string): number
    list(directory: string): string[]
    /** `\cd`: changes, or with no path tells, the working folder. */
    cd(path?: string): string
  }
  /** Runs a shell command and gives its standard output, or throws `KError("access", …)` when the policy denies it. */
  shell(command: string): string
}

/** Bytes of a file, and where the first of them is in it. */
export interface Piece {
  readonly at: number
  readonly bytes: Uint8Array
}

export interface Limits {
  /** Bytes; default 1 GiB. */
  readonly memory?: number
  /** Steps per statement; default Infinity. */
  readonly steps?: number
  /** Calls deep; default 2,000. */
  readonly depth?: number
}

/** An error of K as data. `line` and `column` count from 1 within the statement given to `evaluate`. */
export interface Failure {
  /** `type`, `rank`, … */
  readonly name: string
  /** A sentence, or the empty string. */
  readonly hint: string
  readonly line: number
  readonly column: number
  /** The source line and the caret line below it, of the innermost frame. */
  readonly source: string
  readonly caret: string
  /** The verb or name at the caret, as written. */
  readonly at: string
  /** How many arguments the verb at the caret was given, where it is one. */
  readonly valence?: number
  /** Calls from the innermost outwards, bounded: function name or its text cut short. */
  readonly path: readonly string[]
  /** All of it as the console prints it, ending in a newline. */
  readonly rendered: string
}

export interface Interpreter {
  /** Runs one statement or command. `undefined` when well, else the error; what was printed before it has been written. */
  evaluate(statement: string): Failure | undefined
  /** As `evaluate`, with `memory` in place of its limit; `image` is what `_bd` makes of the statement's value, when that takes at most `most` bytes. */
  imaged(
    statement: string,
    most: number,
    memory?: number,
  ): { readonly failure: Failure | undefined; readonly image: Uint8Array | undefined }
  /** Splits a script into statements, each with the line (from 1) it begins on. A statement left open at the end is given as it is. */
  statements(script: string): readonly { readonly source: string; readonly line: number }[]
  /** Names below a K-tree path, for completion and looking: `name`, type code, count, shape text. */
  names(path: string): readonly { readonly name: string; readonly type: number; readonly count: number; readonly preview: string }[]
  /** Prompt depth and current directory. */
  readonly directory: string
  /** What changed in the whole tree since the answer numbered `since`; see `Captures.ts`. */
  capture(since: number, limits: CaptureLimits): Changes & { readonly serial: number }
  /** Removes names and puts captured values back; gives what did not come back equal. The workspace comes with the last call. */
  restore(given: readonly Given[], workspace: Workspace | undefined, removed?: readonly string[]): readonly Lost[]
  /** A look at what a path leads to, within a budget; throws `KError` for an index that leads nowhere. */
  look(view: View): Look
  /** Functions of the whole tree with their text, at most so many. */
  functions(most: number): readonly { readonly path: string; readonly text: string }[]
  /** Remembers the state; `back` returns to it, once, if nothing was captured meanwhile. */
  mark(): void
  back(): void
}

/** An interpreter with an empty K tree. */
export const makeInterpreter = (host: Host, limits: Limits = {}): Interpreter => new Interp(host, limits)

/** The system names that begin with `_`, for completion. */
export const systemNames: readonly string[] = [...new Set(rows.map((row) => row.glyph).filter((glyph) => glyph.startsWith("_")))]

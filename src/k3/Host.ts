/** The world as an interpreter sees it: input and output, clock, environment, files, shell; and the limits of an interpreter. Types only. */

/** The world. A verb that needs a member which is absent raises an `access` error. */
export interface Host {
  /** Console output, in order. */
  write(text: string): void
  /** The next line of the input, without its end; undefined when there is none any more. Absent, ``0:` `` is a `nonce` error. */
  readonly input?: (() => string | undefined) | undefined
  /** Hears of each statement, call and variable written, one line each; absent, tracing costs nothing. */
  readonly trace?: ((line: string) => void) | undefined
  /** Hears, once for a file, that `0:` cut a field that stood in quotes. */
  readonly quotesCut?: (() => void) | undefined
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number
  /** Minutes to add to UTC for local time at that moment. */
  zoneOffset(ms: number): number
  /** Asked about every 10 ms of work: should the evaluation stop? */
  interrupted(): boolean
  /** Bytes in use, as `\w` and `_s` tell them. */
  memoryUsed(): number
  /** Is there room for so many bytes more? With 0, asked as often as `interrupted`: are the bytes in use within the limit? */
  room(bytes: number): boolean
  /** Memory of so many bytes that may hold anything, for what is written whole. Absent, it is asked of JavaScript, which fills it with zeros. */
  readonly unfilled?: ((bytes: number) => ArrayBuffer) | undefined
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
  /** Files below the allowed roots. Every member throws `KError("access", why)` outside of them, and an error of a `FileKind` when the system refuses. */
  readonly files: {
    /** The bytes from `first` (from 0) on, as many as `most` and the file has; all of them without. A file of size 0, as in /proc, is read whole. */
    read(path: string, first?: number, most?: number): Uint8Array
    /** `\l`: the path of a script that has this name, `.k` left out or not, in the working folder or another that scripts are kept in. */
    script(name: string): string
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

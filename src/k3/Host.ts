/** The world as an interpreter sees it: input and output, clock, environment, files, shell; and the limits of an interpreter. Types only. */

/** The world. A verb that needs a member which is absent raises an `access` error. */
export interface Host {
  /** Console output, in order. */
  write(text: string): void
  /** The next line of the input, without its newline; undefined at the end. Without this member ``0:` `` is a `nonce` error. */
  readonly input?: (() => string | undefined) | undefined
  /** Receives each statement, call and written variable, a line each. Without this member tracing costs nothing. */
  readonly trace?: ((line: string) => void) | undefined
  /** Called once for a file when `0:` cuts a field inside quotes. */
  readonly quotesCut?: (() => void) | undefined
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number
  /** Minutes to add to UTC for local time at `ms`. */
  zoneOffset(ms: number): number
  /** Asked about every 10 ms of work: should the evaluation stop? */
  interrupted(): boolean
  /** Bytes in use, as `\w` and `_s` show them. */
  memoryUsed(): number
  /** Is there room for `bytes` more? Asked with 0 as often as `interrupted`: are the bytes in use within the limit? */
  room(bytes: number): boolean
  /** Memory with arbitrary contents, for results that are written whole. Without this member it comes from JavaScript, which fills it with zeros. */
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
  /**
   * Files below the allowed roots. Every member throws `KError("access", why)` outside of them, and an error of a `FileKind` when the system refuses.
   */
  readonly files: {
    /**
     * The bytes from offset `first` on, at most `most`; without these arguments all bytes. A file of size 0, such as those in /proc, is read whole.
     */
    read(path: string, first?: number, most?: number): Uint8Array
    /** Finds the script of `\l` by its name, with or without `.k`, in the working folder and in the folders for scripts. */
    script(name: string): string
    write(path: string, data: Uint8Array): void
    /** Writes pieces of bytes into an existing file, in order; a piece may reach beyond the file's end. */
    patch(path: string, pieces: readonly FilePiece[]): void
    size(path: string): number
    list(directory: string): string[]
    /** `\cd`: changes the working folder; without a path gives it. */
    cd(path?: string): string
  }
  /** Runs a shell command and gives its standard output; throws `KError("access", …)` when the policy denies it. */
  shell(command: string): string
}

/** Bytes to write, and their offset in the file. */
export interface FilePiece {
  readonly at: number
  readonly bytes: Uint8Array
}

export interface Limits {
  /** Bytes; default 1 GiB. */
  readonly memory?: number
  /** Steps per statement; default Infinity. */
  readonly steps?: number
  /** Calls that may be nested; default 2,000. */
  readonly depth?: number
}

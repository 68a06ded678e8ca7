/** What the program `k3` gives to the console that attaches to a server's session, which is a file of its own: a plain start does not read it. */
export interface AttachRequest {
  /** An address, or a folder; the working folder when it is not given. */
  readonly target: string | undefined
  readonly session: string
  readonly version: string
  /** Names of K that begin with `_`. */
  readonly systemNames: readonly string[]
  readonly complain: (text: string) => void
}

export interface AttachFile {
  readonly attach: (request: AttachRequest) => Promise<void>
}

/** The interface between `k3` and the attached console, which is a file of its own, so that other modes need not load it. */
export interface AttachRequest {
  /** An address or a folder; undefined for the working folder. */
  readonly target: string | undefined
  readonly session: string
  readonly version: string
  /** K's system names, which begin with `_`. */
  readonly systemNames: readonly string[]
  readonly complain: (text: string) => void
}

/** What a tool answers: the same for people and for programs, since many hosts show the model one of the two. */
export interface Reply<Output = object> {
  readonly text: string
  /** Everything that `text` says, as fields. */
  readonly structured: Output
  /** The tool could not do its work. An error of K is none: that is an answer. */
  readonly isError?: boolean
}

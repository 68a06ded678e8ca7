/** The progress of a running evaluation. An error that ends the evaluation names the statement and quotes the output from here. */
import type { Evaluation, Notice } from "./Evaluation.ts"
import type { Statement } from "../k3/text/statements.ts"
import type { Output } from "./output/Output.ts"
import type { Aftermath } from "./SessionError.ts"

/** The client of an evaluation, and the time of its request. */
interface Asked {
  /** The client that gets the notices, as in `Caller`. */
  readonly reader: string
  /** ms since 1970. */
  readonly at: number
  /** The same time in ms of the monotonic clock. */
  readonly since: number
}

export interface Progress {
  readonly output: Output
  readonly notices: Notice[]
  readonly asked: Asked
  /** Number of the running statement, from 1; 0 while the evaluation waits. */
  number: number
  statement: string
  state: Aftermath
  /** The changes of an evaluation that ended early, if the request asks for them. Null when they are not known. */
  changes?: Evaluation["changes"]
  /** The child answers a request of the server itself, so the answer is no output of the evaluation. */
  isInternal: boolean
  /** The child was asked to mark its state, for `rollback`. An earlier mark is another evaluation's. */
  isMarked: boolean
  /** Paths of the arguments. They are removed when the evaluation ends. */
  bound: readonly string[]
  /** Statements that ran, of an evaluation with `rollback`. */
  readonly ran: Statement[]
  /** The value of the last statement, if the request asks for it. */
  value?: Evaluation["value"]
}

export const makeProgress = (asked: Asked, output: Output): Progress => ({
  output,
  notices: [],
  ran: [],
  bound: [],
  asked,
  number: 0,
  statement: "",
  state: "kept",
  isInternal: false,
  isMarked: false,
})

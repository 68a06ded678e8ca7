/** How far an evaluation has come. Kept while it runs, so that the error that ends it can name the statement and quote the output. */
import type { Evaluation, Notice } from "./Evaluation.ts"
import type { Statement } from "../k3/text/statements.ts"
import { Output } from "./output/Output.ts"
import type { Recording } from "./output/Outputs.ts"
import type { Aftermath } from "./SessionError.ts"

/** Who asked, and when. */
interface Asked {
  /** Who is told. */
  readonly reader: string
  /** ms since 1970. */
  readonly at: number
  /** The same on the monotonic clock, which nobody moves. */
  readonly since: number
}

export interface Progress {
  readonly output: Output
  readonly notices: Notice[]
  readonly asked: Asked
  /** Of the statement, from 1; 0 while waiting. */
  number: number
  statement: string
  state: Aftermath
  /** The child is asked something of the server's own: what it says is no output. */
  aside: boolean
  /** Of its arguments, which are removed when it ends. */
  bound: readonly string[]
  /** What ran of an evaluation that may be rolled back. */
  readonly ran: Statement[]
  /** Of the last statement, when it is wanted. */
  value?: Evaluation["value"]
}

/** `shown`: characters of its output; `open`: where a longer one is kept, if anywhere; all of it, while it is printed, when it is `live`. */
export const makeProgress = (shown: number, asked: Asked, open?: () => Recording | undefined, live = false): Progress => ({
  output: new Output(shown, open, live),
  notices: [],
  ran: [],
  bound: [],
  asked,
  number: 0,
  statement: "",
  state: "kept",
  aside: false,
})

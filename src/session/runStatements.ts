/**
 * Runs statements in order on a child: the one way in which a caller's code reaches an interpreter, in an evaluation, a dry run or a comparison.
 * Requests of the server itself, such as a capture or the rows of a table, ask the child without it.
 *
 * Guarantees: it stops at the first error of K, unless `goOn` is set. `output` gets the printed text without errors of K. Does not: refuse
 * statements, which `statementsIn` does before; know deadlines, sessions or queues.
 */
import * as Effect from "effect/Effect"
import { encode, type ChildReply } from "../repl/frame.ts"
import { type Statement, statements } from "../k3/text/statements.ts"
import type { Child, ChildEnded } from "../child/Child.ts"
import { Refused } from "../child/ChildError.ts"
import type { Engine, KFailure, EvaluationLimits, EngineReply } from "../child/engines/Engine.ts"
import { limits } from "../limits.ts"
import { shortened } from "../shortened.ts"
import type { Output } from "./output/Output.ts"

/** The child that runs the statements, the output they print to, and callbacks. */
export interface RunOptions {
  readonly child: Child
  readonly engine: Engine
  readonly output: Output
  /** Wraps the request of each statement, for telemetry. */
  readonly around?: (<A, E>(ask: Effect.Effect<A, E>, statement: Statement, index: number) => Effect.Effect<A, E>) | undefined
  /** Called before a statement is sent. */
  readonly onBegin?: (statement: Statement, index: number) => void
  /** Called with the reply of a statement. */
  readonly onRead?: (statement: Statement, reading: EngineReply) => void
  /** Bytes that the image of the last statement's value may have. Without it, no value is requested. */
  readonly image?: number | undefined
  /** The last statement does not print its value. */
  readonly quiet?: boolean | undefined
  /** Limits for all statements together. */
  readonly limits?: EvaluationLimits | undefined
  readonly onValue?: (image: Uint8Array) => void
  /** Continue with the next statement after an error of K. */
  readonly goOn?: boolean
}

export const tooLarge = (code: string): Refused | undefined =>
  code.length > limits.code
    ? new Refused({ statement: shortened(code), reason: "size", detail: `${code.length} characters; at most ${limits.code} are taken` })
    : undefined

/** The statements of a caller's code; or a refusal: of too many characters or statements, or of the first one that the engine refuses. */
export const statementsIn = (code: string, engine?: Engine): readonly Statement[] | Refused => {
  const large = tooLarge(code)
  if (large !== undefined) return large
  const list = statements(code, limits.statements + 1)
  if (list.length > limits.statements) {
    const detail = `the code has more than ${limits.statements} statements, which is the limit`
    return new Refused({ statement: shortened(list[0]!.source), reason: "size", detail })
  }
  for (const statement of list) {
    const refused = engine?.refusal(statement)
    if (refused !== undefined) return refused
  }
  return list
}

/** The statement of a request of the server itself. */
export const statementOf = (code: string): Statement => ({ source: code, wire: code, line: 1, command: false, notes: [] })

/** Reads a reply, and adds its printed text to `output`. */
const read = (engine: Engine, statement: Statement, reply: ChildReply, output: Output): EngineReply => {
  const text = output.excerpt(reply)
  const reading = engine.read(statement, { text: text.head, report: reply.report })
  if (reading.output === text.head) output.add(reply, text)
  else output.addInstead(reply, reading.output)
  return reading
}

/** Sends a statement. `begins`: it is the first one, and starts the count of the limits. */
const send = (
  { child, engine, output, image = 0, quiet, limits, onValue }: RunOptions,
  sent: Statement,
  { begins, isLast }: { readonly begins: boolean; readonly isLast: boolean },
): Effect.Effect<ChildReply, ChildEnded> => {
  const most = isLast ? image : 0
  if (limits === undefined && most === 0) return child.ask(encode(sent, engine.newline), output.spill)
  const wanted = { image: most, quiet: isLast && quiet, ...(limits !== undefined && { allowance: { ...limits, begins } }) }
  return Effect.map(engine.value(child, sent, wanted, output.spill), ({ reply, image }) => {
    if (image !== undefined) onValue?.(image)
    return reply
  })
}

/** The error of K that stopped the run, or undefined. */
export const runStatements = Effect.fnUntraced(function* (
  options: RunOptions,
  list: readonly Statement[],
): Effect.fn.Return<KFailure | undefined, ChildEnded> {
  const { engine, output, around, onBegin, onRead, goOn } = options
  for (let index = 0; index < list.length; index++) {
    const statement = list[index]!
    onBegin?.(statement, index)
    const sent = statement.command && engine.locate !== null ? yield* engine.locate(statement) : statement
    const ask = send(options, sent, { begins: index === 0, isLast: index + 1 === list.length })
    const reply = yield* around === undefined ? ask : around(ask, statement, index)
    const reading = read(engine, statement, reply, output)
    onRead?.(statement, reading)
    if (reading.failure !== undefined && goOn !== true) return reading.failure
  }
  return undefined
})

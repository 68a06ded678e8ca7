/**
 * Runs statements in order on a child: the only way in which code reaches an interpreter.
 *
 * Guarantees: when a statement may not reach the child, none runs. It stops at the first error of K, unless told to go on. `output` has what
 * was printed, without errors of K. Does not: know deadlines, sessions or queues.
 */
import * as Effect from "effect/Effect"
import { encode, type Reply } from "../repl/frame.ts"
import type { Statement } from "../k3/text/statements.ts"
import type { Child, ChildEnded } from "../child/Child.ts"
import { Refused } from "../child/ChildError.ts"
import type { Engine, KFailure, Limited, Reading } from "../child/engines/Engine.ts"
import { limits } from "../limits.ts"
import { shortened } from "../shortened.ts"
import type { Output } from "./output/Output.ts"

/** The child that runs the statements, and where their output goes. */
export interface Ground {
  readonly child: Child
  readonly engine: Engine
  readonly output: Output
  /** Around the asking of a statement; by itself when absent. */
  readonly around?: (<A, E>(ask: Effect.Effect<A, E>, statement: Statement, index: number) => Effect.Effect<A, E>) | undefined
  /** A statement is asked from now on. */
  readonly onBegin?: (statement: Statement, index: number) => void
  readonly onRead?: (statement: Statement, reading: Reading) => void
  /** Bytes of the longest image of the last statement's value that is wanted. */
  readonly image?: number | undefined
  /** That value is not printed. */
  readonly quiet?: boolean | undefined
  /** What all of them may take. */
  readonly limits?: Limited | undefined
  readonly onValue?: (image: Uint8Array) => void
  /** An error of K does not stop the statements behind it. */
  readonly goOn?: boolean
}

export const tooLarge = (code: string): Refused | undefined =>
  code.length > limits.code
    ? new Refused({ statement: shortened(code), reason: "size", detail: `${code.length} characters; at most ${limits.code} are taken` })
    : undefined

/** Why none of the code runs: any of it is refused. */
export const refusalOf = (engine: Engine, list: readonly Statement[]): Refused | undefined => {
  for (const statement of list) {
    const refused = engine.refusal(statement)
    if (refused !== undefined) return refused
  }
  return undefined
}

/** What a reply says is read; what it printed is added to `output`. */
const read = (engine: Engine, statement: Statement, reply: Reply, output: Output): Reading => {
  const text = output.excerpt(reply)
  const reading = engine.read(statement, { text: text.head, report: reply.report })
  if (reading.output === text.head) output.add(reply, text)
  else output.addInstead(reply, reading.output)
  return reading
}

/** One that is the first of them `begins`. */
const asked = (
  { child, engine, output, image = 0, quiet, limits, onValue }: Ground,
  sent: Statement,
  { begins, isLast }: { readonly begins: boolean; readonly isLast: boolean },
): Effect.Effect<Reply, ChildEnded> => {
  const most = isLast ? image : 0
  if (limits === undefined && most === 0) return child.ask(encode(sent, engine.newline), output.spill)
  const wanted = { image: most, quiet: isLast && quiet, ...(limits !== undefined && { allowance: { ...limits, begins } }) }
  return Effect.map(engine.value(child, sent, wanted, output.spill), ({ reply, image }) => {
    if (image !== undefined) onValue?.(image)
    return reply
  })
}

/** The error that stopped it, or undefined. */
export const runStatements = Effect.fnUntraced(function* (
  ground: Ground,
  list: readonly Statement[],
): Effect.fn.Return<KFailure | undefined, ChildEnded> {
  const { engine, output, around, onBegin, onRead, goOn } = ground
  for (let index = 0; index < list.length; index++) {
    const statement = list[index]!
    onBegin?.(statement, index)
    const sent = statement.command && engine.locate !== null ? yield* engine.locate(statement) : statement
    const ask = asked(ground, sent, { begins: index === 0, isLast: index + 1 === list.length })
    const reply = yield* around === undefined ? ask : around(ask, statement, index)
    const reading = read(engine, statement, reply, output)
    onRead?.(statement, reading)
    if (reading.failure !== undefined && goOn !== true) return reading.failure
  }
  return undefined
})

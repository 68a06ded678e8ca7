/**
 * One evaluation: statements in order on a live child, one reply.
 *
 * Stops at the first error of K. What is under way is kept in a `Progress`, so that whoever ends it, the deadline or the client, can
 * say what ran and what had been printed.
 */
import * as Effect from "effect/Effect"
import { encode, type Reply } from "../repl/frame.ts"
import type { Statement } from "../k3/text/statements.ts"
import type { ChildEnded } from "../child/Child.ts"
import type { Engine, Reading, Wanted } from "../child/engines/Engine.ts"
import type { Keeper } from "./variables/Keeper.ts"
import type { Lifecycle } from "./Lifecycle.ts"
import { Output } from "./output/Output.ts"
import type { Recording } from "./output/Outputs.ts"
import type { Evaluation, Notice } from "./Evaluation.ts"
import type { KFailure } from "../child/engines/Engine.ts"
import type { Aftermath } from "./SessionError.ts"
import { Refused } from "../child/ChildError.ts"
import { shortened } from "../shortened.ts"
import type { Live } from "./state.ts"

/** Characters of code that are let through. */
const mostCode = 16 * 1024 ** 2

export interface Progress {
  readonly output: Output
  readonly notices: Notice[]
  /** When it was asked, ms since 1970. */
  readonly at: number
  /** From 1; 0 while waiting. */
  number: number
  statement: string
  state: Aftermath
  /** The child is asked something of the server's own: what it says is no output. */
  aside: boolean
  /** Of the last statement, when it is wanted. */
  value?: Evaluation["value"]
}

/** `shown`: characters of its output; `open`: where a longer one is kept, if anywhere. */
export const makeProgress = (shown: number, at: number, open?: () => Recording | undefined): Progress => ({
  output: new Output(shown, open),
  notices: [],
  at,
  number: 0,
  statement: "",
  state: "kept",
  aside: false,
})

export const tooLarge = (code: string): Refused | undefined =>
  code.length > mostCode
    ? new Refused({ statement: shortened(code), reason: "size", detail: `${code.length} characters; at most ${mostCode} are taken` })
    : undefined

/** Why none of the code runs: any of it is refused. */
export const refusalOf = (live: Live, list: readonly Statement[]): Refused | undefined => {
  for (const statement of list) {
    const refused = live.engine.refusal(statement)
    if (refused !== undefined) return refused
  }
  return undefined
}

/** A command as the engine's child needs it. */
const located = (engine: Engine, statement: Statement): Effect.Effect<Statement> =>
  engine.locate === null || !statement.command ? Effect.succeed(statement) : engine.locate(statement)

/** What a reply says is read; what it printed is added to `output`, an error of K is not. */
const read = (engine: Engine, statement: Statement, reply: Reply, output: Output): Reading => {
  const text = output.excerpt(reply)
  const reading = engine.read(statement, { text: text.head, report: reply.report })
  if (reading.output === text.head) output.add(reply, text)
  else output.addInstead(reply, reading.output)
  return reading
}

/** One statement, asked. */
export const answer = (
  { child, engine }: Pick<Live, "child" | "engine">,
  statement: Statement,
  output: Output,
): Effect.Effect<Reading, ChildEnded> =>
  located(engine, statement).pipe(
    Effect.flatMap((sent) => child.ask(encode(sent, engine.newline), output.spill)),
    Effect.map((reply) => read(engine, statement, reply, output)),
  )

/** What of a session the statements of an evaluation run on. */
export interface Ground {
  readonly life: Lifecycle
  readonly keeper: Keeper
}

/** A statement is what the session is at from `now` on. */
export const begin = ({ life }: Ground, live: Live, list: readonly Statement[], index: number, progress: Progress, now: number): void => {
  const { source } = list[index]!
  progress.number = index + 1
  progress.aside = false
  progress.statement = source
  life.begin(live, source, [index + 1, list.length], now)
}

/** It was answered; the error that it came to, or undefined. */
export const take = ({ keeper }: Ground, live: Live, statement: Statement, reply: Reply, progress: Progress): KFailure | undefined => {
  const { failure, silent } = read(live.engine, statement, reply, progress.output)
  for (const { line } of statement.notes) progress.notices.push({ kind: "brace", line })
  if (silent) progress.notices.push({ kind: "silent", statement: shortened(statement.source) })
  if (failure === undefined) keeper.heard(live, statement.wire)
  return failure
}

/** Asked for its value as well. */
const valued = ({ child, engine }: Live, statement: Statement, progress: Progress, wanted: Wanted) =>
  Effect.map(engine.value(child, statement, wanted, progress.output.spill), ({ reply, image }) => {
    if (image !== undefined) progress.value = { image, engine: engine.kind }
    return reply
  })

/** The error that stopped it, or undefined. */
export const run = Effect.fnUntraced(function* (
  ground: Ground,
  live: Live,
  list: readonly Statement[],
  progress: Progress,
  now: () => number,
  wanted?: Wanted,
): Effect.fn.Return<KFailure | undefined, ChildEnded> {
  for (const [index, statement] of list.entries()) {
    begin(ground, live, list, index, progress, now())
    const sent = statement.command ? yield* located(live.engine, statement) : statement
    const reply =
      wanted === undefined || index + 1 < list.length
        ? yield* live.child.ask(encode(sent, live.engine.newline), progress.output.spill)
        : yield* valued(live, sent, progress, wanted)
    const failure = take(ground, live, statement, reply, progress)
    if (failure !== undefined) return failure
  }
  return undefined
})

/**
 * Arguments of an evaluation: K variables that exist while it runs.
 *
 * Guarantees: when a name is in use, the call is refused and nothing is assigned; `unbind` removes them, however the binding ended. Captures never
 * see them, since the queue is held until they are gone.
 */
import * as Effect from "effect/Effect"
import type { ChildEnded } from "../child/Child.ts"
import { Refused } from "../child/ChildError.ts"
import { noValue } from "../child/engines/kinds.ts"
import type { Launched } from "../child/Launcher.ts"
import type { Statement } from "../k3/text/statements.ts"
import { limits } from "../limits.ts"
import { shortened } from "../shortened.ts"
import { Output } from "./output/Output.ts"
import type { Progress } from "./Evaluation.ts"
import type { Run } from "./Run.ts"
import { runStatements, statementOf } from "./runStatements.ts"

const refused = (detail: string, statement = "args", reason: Refused["reason"] = "args") =>
  new Refused({ statement: shortened(statement), reason, detail })

/** Assigns the arguments in the child. `progress.bound` has all paths before the first assignment. */
export const bindArguments = Effect.fnUntraced(function* (
  { child, engine, tracker }: Launched,
  { request: { args }, progress }: Pick<Run, "request" | "progress">,
): Effect.fn.Return<void, Refused | ChildEnded> {
  if (args === undefined) return
  if (tracker.remove === null) return yield* refused("K3CSharp cannot remove a name again, so it takes no args")
  const characters = args.reduce((sum, { text }) => sum + text.length, 0)
  if (characters > limits.code)
    return yield* refused(`args are ${characters} characters as K; at most ${limits.code} are taken`, "args", "size")
  const listings = yield* Effect.forEach(args, ({ name }) => Effect.map(engine.inspect(child, name, {}), (found) => ({ ...found, name })))
  const taken = listings.filter(({ name, value }) => value?.kind !== noValue(name).kind).map(({ name }) => name)
  if (taken.length > 0) return yield* refused(`the session has ${taken.join(", ")} already, and args are new names`)
  progress.bound = listings.map(({ path }) => path)
  const assignments = args.map(({ text }, i) => statementOf(`${progress.bound[i]!}:${text}`))
  let at = 0
  const onBegin = (_: Statement, index: number): void => void (at = index)
  const failure = yield* runStatements({ child, engine, output: new Output(0), onBegin }, assignments)
  if (failure === undefined) return
  const { name, text } = args[at]!
  return yield* refused(`${name} was not bound: ${failure.name} error`, `${name}:${text}`)
})

export const unbind = ({ tracker }: Launched, progress: Progress): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { bound } = progress
    progress.bound = []
    return bound.length === 0 ? Effect.void : Effect.ignore(tracker.remove!(bound))
  })

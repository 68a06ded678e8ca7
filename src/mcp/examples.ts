/**
 * Runs the kept examples of defined tools again.
 *
 * Guarantees: examples run in ephemeral forks of the tools' sessions, on the engine that the caller names, so the sessions do not change; every
 * fork is closed. After an example without a value the next one has a new fork, so a killed child does not take its time. Does not: keep a function
 * from writing files; examples of impure functions run only with `impure`.
 */
import * as Effect from "effect/Effect"
import { call, type Callable, isSame } from "../define/call.ts"
import { toolName } from "../define/definition.ts"
import { annotationsOf } from "../define/purity.ts"
import type { Definition, CallExample } from "../session/Definitions.ts"
import type { SessionError } from "../session/SessionError.ts"
import { Sessions } from "../session/Sessions.ts"
import type { SessionStatus } from "../session/SessionStatus.ts"
import { Settings } from "../Settings.ts"
import { shortened } from "../shortened.ts"
import { valueText } from "./render/defined.ts"
import { kErrorText } from "./render/evaluation.ts"
import { failure } from "./render/sessionFailure.ts"

interface Failing {
  readonly tool: string
  /** The number of the example, from 1. */
  readonly example: number
  readonly expected: string
  readonly got: string
}

export interface Tried {
  readonly ran: number
  readonly failing: readonly Failing[]
  /** Tools that may have side effects: their examples were not run. */
  readonly left: readonly string[]
}

export interface Where {
  readonly engine?: SessionStatus["engine"] | undefined
  /** The session to fork in place of the tools' own sessions. */
  readonly session?: string | undefined
  readonly impure?: boolean
}

const mostShown = 400

/** `failed`: the call gave no value, `text` is the error. `other`: it gave another value, `text` shows it. */
interface Outcome {
  readonly why: "failed" | "other"
  readonly text: string
}

const failed = (text: string): Outcome => ({ why: "failed", text })

/** Undefined when the call gives the expected value. */
const outcomeOf = (
  callable: Callable,
  { arguments: given, result }: CallExample,
  session: string,
): Effect.Effect<Outcome | undefined, never, Sessions | Settings> =>
  Effect.gen(function* () {
    const settings = yield* Settings
    return yield* call(callable, given, session).pipe(
      Effect.map((called) => {
        if (called.evaluation.error !== undefined) return failed(kErrorText(called.evaluation.error))
        if (called.value !== undefined && isSame(called.value.value, result)) return undefined
        return { why: "other", text: valueText(called, settings) } as const
      }),
      Effect.catchTag("BadArguments", ({ problems }) => Effect.succeed(failed(problems.join("\n")))),
      Effect.catch((error) => Effect.succeed(failed(failure(error, settings, { tool: "k_define" }).text))),
    )
  })

/** An ephemeral fork of the named session, or of the tool's own session; an empty session if the tool's own does not exist. */
const scratch = (session: string, { engine, session: named }: Where) =>
  Effect.gen(function* () {
    const { create, fork } = yield* Sessions
    const brief = { engine, isEphemeral: true, isBrief: true }
    if (named !== undefined) return yield* fork({ ...brief, from: named })
    return yield* Effect.catchTag(fork({ ...brief, from: session }), "NoSession", () => create(brief))
  })

export const tryExamples = (
  definitions: readonly Omit<Definition, "version" | "at">[],
  where: Where = {},
): Effect.Effect<Tried, SessionError, Sessions | Settings> =>
  Effect.gen(function* () {
    const { close } = yield* Sessions
    const { session, impure = false } = where
    const all = definitions.filter(({ examples = [] }) => examples.length > 0)
    const wanted = all.filter((each) => impure || annotationsOf(each).readOnlyHint)
    const failing: Failing[] = []
    let ran = 0
    for (const home of new Set(wanted.map((each) => session ?? each.session))) {
      const due = wanted
        .filter((each) => (session ?? each.session) === home)
        .flatMap((definition) => definition.examples!.map((example, i) => ({ definition, example, n: i + 1 })))
      const tryIn = Effect.fnUntraced(function* (fork: string) {
        for (let next = due.shift(); next !== undefined; next = due.shift()) {
          const { definition, example, n } = next
          ran++
          const got = yield* outcomeOf(definition, example, fork)
          if (got === undefined) continue
          const expected = shortened(JSON.stringify(example.result), mostShown)
          failing.push({ tool: toolName(definition.name), example: n, expected, got: shortened(got.text, mostShown) })
          if (got.why === "failed") return
        }
      })
      while (due.length > 0)
        yield* Effect.acquireUseRelease(
          scratch(home, where),
          ({ name }) => tryIn(name),
          ({ name }) => Effect.ignore(close(name)),
        )
    }
    return { ran, failing, left: all.filter((each) => !wanted.includes(each)).map(({ name }) => toolName(name)) }
  })

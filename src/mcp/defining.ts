/**
 * Makes a K function a tool: checks its parts, validates the code as `k_validate` does, runs the examples, then stores it. Guarantees: a refused
 * definition leaves the tools and the sessions as they are, and the reply lists every problem of the failed step. Does not: undo the effects of an
 * example on files.
 */
import * as Effect from "effect/Effect"
import { type Callable, isSame } from "../define/call.ts"
import { checkDefinition, type Proposal } from "../define/definition.ts"
import { annotationsOf } from "../define/purity.ts"
import { reachOf } from "../define/reach.ts"
import { limits } from "../limits.ts"
import type { Issue } from "../k3/documents.ts"
import type { Definition, CallExample } from "../session/Definitions.ts"
import type { Session } from "../session/Session.ts"
import { Sessions } from "../session/Sessions.ts"
import { tryExamples } from "./examples.ts"
import { loadHelp } from "./loadHelp.ts"
import * as render from "./render/define.ts"
import { lineText } from "./render/validation.ts"
import { defaultSession, type RawArguments } from "./Tool.ts"

const MB = 2 ** 20

export interface Wanted extends Proposal {
  readonly session: string | undefined
  readonly timeout_ms?: number
  readonly memory_mb?: number
  /** An example: a call with `arguments` must give `result`. */
  readonly arguments: RawArguments | undefined
  readonly result?: unknown
  /** Replaces all kept examples. */
  readonly examples?: readonly CallExample[]
}

const loadValidate = Effect.promise(() => loadHelp(({ validation }) => validation()))

/** The errors and warnings of `k_validate`, as lines, without those of unknown names: a name may be defined later. */
const issuesIn = (code: string, session: Session) =>
  Effect.gen(function* () {
    const held = yield* session.names
    const { isTrueThere, validate } = yield* loadValidate
    const issues = validate(code, held).filter((each) => held.engine === "embedded" || isTrueThere(each.code))
    const lines = (wanted: Issue["severity"]): readonly string[] =>
      issues.filter((each) => each.severity === wanted && each.code !== "unknown-name").map(lineText)
    return { engine: held.engine, errors: lines("error"), warnings: lines("warning") }
  })

const limitProblems = (wanted: Pick<Wanted, "timeout_ms" | "memory_mb">): readonly string[] =>
  (["timeout_ms", "memory_mb"] as const).flatMap((limit) => ((wanted[limit] ?? 1) > 0 ? [] : [`${limit}: more than 0`]))

const limitsOf = ({ timeout_ms, memory_mb }: Pick<Wanted, "timeout_ms" | "memory_mb">) => ({
  ...(timeout_ms !== undefined && { timeoutMs: timeout_ms }),
  ...(memory_mb !== undefined && { memory: Math.ceil(memory_mb * MB) }),
})

/** A callable for code that is run once, as a tool would run it; or the problems of the code. */
export const unnamedOf = (
  wanted: Pick<Wanted, "code" | "parameters" | "timeout_ms" | "memory_mb">,
): Callable | { readonly problems: readonly string[] } => {
  const { code, parameters, problems } = checkDefinition({ ...wanted, name: "run" })
  const all = [...problems, ...limitProblems(wanted)]
  return all.length > 0 ? { problems: all } : { code, parameters, session: defaultSession, ...limitsOf(wanted) }
}

/** The examples that the tool keeps: the earlier ones, or `examples` in their place, then the example of this call. */
const examplesOf = ({ arguments: given, result, examples }: Wanted, before: Definition | undefined): readonly CallExample[] => {
  const kept = examples ?? before?.examples ?? []
  if (given === undefined || result === undefined) return kept
  return [...kept.filter((each) => !isSame(each.arguments, given)), { arguments: given, result }]
}

export const define = (wanted: Wanted) =>
  Effect.gen(function* () {
    const { name, description, code, parameters, problems } = checkDefinition(wanted)
    // The result null is a result beside arguments alone.
    const isHalf = wanted.arguments === undefined ? (wanted.result ?? undefined) !== undefined : wanted.result === undefined
    const more = [...limitProblems(wanted), ...(isHalf ? ["an example is both arguments and result"] : [])]
    const sessions = yield* Sessions
    const { definitions } = sessions
    const before = (yield* definitions.versions(name)).at(-1)
    const examples = examplesOf(wanted, before)
    if (examples.length > limits.examples) more.push(`examples: at most ${limits.examples} are kept`)
    if (JSON.stringify(examples).length > limits.exampleText) more.push(`examples: at most ${limits.exampleText} characters of JSON`)
    if (problems.length + more.length > 0) return render.notDefined([...problems, ...more])
    const session = yield* sessions.get(wanted.session ?? defaultSession)
    if (session.isEphemeral) return render.notDefined([`session ${session.name} is ephemeral, and a tool is kept; name another session`])
    const { engine, errors, warnings } = yield* issuesIn(code, session)
    if (errors.length > 0) return render.notDefined(errors)
    const purity = yield* reachOf(code, session)
    const draft: Omit<Definition, "version" | "at"> = {
      name,
      description,
      code,
      parameters,
      session: session.name,
      ...purity,
      ...limitsOf(wanted),
      ...(examples.length > 0 && { examples }),
    }
    // Those of this call run even if the function is not pure: the caller asked for it.
    const due = annotationsOf(draft).readOnlyHint ? examples : examplesOf(wanted, undefined)
    const tried = yield* tryExamples([{ ...draft, examples: due }], { impure: true })
    if (tried.failing.length > 0) return render.examplesFailed(tried)
    const remarks = { limitsMemory: engine === "embedded", warnings }
    if (before !== undefined && isSame({ ...draft, version: before.version, at: before.at }, before))
      return render.defined(before, { ...remarks, same: true, kept: true })
    const added = yield* definitions.add(draft)
    if (added === undefined) return render.tooMany(yield* definitions.all)
    return render.defined(added.definition, { ...remarks, same: false, kept: added.kept })
  })

/**
 * The tasks extension of MCP (SEP-2663): background evaluations as tasks, for requests of the modern era that declare the extension.
 *
 * Guarantees: a task is a background evaluation of `session/Backgrounds.ts`, which has the deadline and the limits; `k_output` and
 * `k_session interrupt` work on it too. A task's id is the handle with a secret, so that it cannot be guessed. A task of an earlier server has the
 * status failed: its result is gone. Does not: ask the client for input; keep a result for a fixed time (`ttlMs` is null): `Backgrounds` decides.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { BackgroundEvaluation } from "../session/Backgrounds.ts"
import type { NoEvaluation, SessionError } from "../session/SessionError.ts"
import { Sessions } from "../session/Sessions.ts"
import { Settings, type SettingValues } from "../Settings.ts"
import { visible } from "../visible.ts"
import { type Answer, field, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, isObject } from "./message.ts"
import { errorOf, replyOf, stand } from "./render/background.ts"
import { failure } from "./render/sessionFailure.ts"
import { resultOf } from "./render/Reply.ts"

const EXTENSION = "io.modelcontextprotocol/tasks"
/** The recommended time between two requests for a task's status, ms. */
const POLL = 1000

/** The client capability that a request must declare. */
export const required = { extensions: { [EXTENSION]: {} } }

export const takesTasks = (capabilities: unknown): boolean => isObject(field(field(capabilities, "extensions"), EXTENSION))

const taskIdOf = ({ handle, secret }: Pick<BackgroundEvaluation, "handle" | "secret">): string => `${handle}-${secret}`

const handleIn = (taskId: string): string | undefined => /^(e\d{1,15})-/.exec(taskId)?.[1]

const timed = (taskId: string, at: number, ms: number) => ({
  taskId,
  createdAt: new Date(at).toISOString(),
  lastUpdatedAt: new Date(at + ms).toISOString(),
  ttlMs: null,
  pollIntervalMs: POLL,
})

const taskOf = (of: BackgroundEvaluation, settings: SettingValues) => {
  const reply = replyOf(of, settings)
  const error = errorOf(of)
  const base = timed(taskIdOf(of), of.at, of.ms)
  if (reply === undefined) return { ...base, status: "working", statusMessage: visible(stand(of)) }
  if (error?._tag === "EvaluationStopped") return { ...base, status: "cancelled", statusMessage: visible(reply.text) }
  return { ...base, status: "completed", statusMessage: visible(stand(of)), result: resultOf(reply) }
}

/** The result of the call that began the task. */
export const created = (of: BackgroundEvaluation, message: string) => ({
  resultType: "task",
  ...timed(taskIdOf(of), of.at, of.ms),
  status: "working",
  statusMessage: visible(message),
})

/** A task of an earlier server, whose result is gone. */
const lost = (taskId: string, error: NoEvaluation, settings: SettingValues) => {
  const { text } = failure(error, settings)
  return {
    ...timed(taskId, error.earlier!.at, 0),
    status: "failed",
    statusMessage: visible(text),
    error: { code: INTERNAL_ERROR, message: visible(text) },
  }
}

type Task = ReturnType<typeof taskOf | typeof lost>

/** The task in its present state; undefined if no task has that id. Fails while no machine of a cluster answers for its session. */
const find = (taskId: string): Effect.Effect<Task | undefined, SessionError, Sessions | Settings> =>
  Effect.gen(function* () {
    const handle = handleIn(taskId)
    if (handle === undefined) return undefined
    const { backgrounds } = yield* Sessions
    const settings = yield* Settings
    return yield* backgrounds.find(handle).pipe(
      Effect.map((found) => (taskIdOf(found) === taskId ? taskOf(found, settings) : undefined)),
      Effect.catchTag("NoEvaluation", (error) => {
        const secret = error.earlier?.secret
        const isEarlier = secret !== undefined && taskIdOf({ handle, secret }) === taskId
        return Effect.succeed(isEarlier ? lost(taskId, error, settings) : undefined)
      }),
    )
  })

/** The task in its present state; undefined when that cannot be found. */
export const present = (taskId: string): Effect.Effect<Task | undefined, never, Sessions | Settings> =>
  Effect.orElseSucceed(find(taskId), () => undefined)

/** Waits for the end of the task and returns it; undefined when it was dropped meanwhile. */
export const ended = (taskId: string): Effect.Effect<Task | undefined, never, Sessions | Settings> =>
  Effect.andThen(
    Sessions.use(({ backgrounds }) => backgrounds.ended(handleIn(taskId) ?? "")),
    present(taskId),
  )

const refused = (code: number, message: string): Answer => ({ error: { code, message: visible(message) } })

const withTask = (params: unknown, answer: (task: Task) => Effect.Effect<Answer, never, Sessions | Settings>) =>
  Effect.gen(function* () {
    const taskId = field(params, "taskId")
    if (typeof taskId !== "string") return refused(INVALID_PARAMS, "taskId must be a text: that of a call whose resultType was task")
    const found = yield* Effect.result(find(taskId))
    if (Result.isFailure(found)) return refused(INTERNAL_ERROR, failure(found.failure, yield* Settings).text)
    if (found.success !== undefined) return yield* answer(found.success)
    return refused(
      INVALID_PARAMS,
      `There is no task ${taskId}, or its result was dropped. k_eval with background true makes one; k_history shows what was evaluated.`,
    )
  })

/** Stops the task's evaluation and waits for its end; no effect if it has ended. */
const cancel = ({ taskId, status }: Task) =>
  Effect.gen(function* () {
    if (status !== "working") return { result: {} }
    const { backgrounds } = yield* Sessions
    const settings = yield* Settings
    return yield* Effect.match(backgrounds.stop(handleIn(taskId)!), {
      onSuccess: () => ({ result: {} }),
      onFailure: (error) => refused(INVALID_REQUEST, failure(error, settings).text),
    })
  })

/** The methods of the extension. `tasks/update` does nothing, since no task asks for input. */
export const methods: readonly (readonly [
  method: string,
  answer: (params: unknown) => Effect.Effect<Answer, never, Sessions | Settings>,
])[] = [
  ["tasks/get", (params) => withTask(params, (result) => Effect.succeed({ result }))],
  ["tasks/update", (params) => withTask(params, () => Effect.succeed({ result: {} }))],
  ["tasks/cancel", (params) => withTask(params, cancel)],
]

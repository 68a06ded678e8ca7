/**
 * Retries and reasons for a database that does not answer.
 *
 * Guarantees: retries of a passing error begin within `patience`; an attempt ends when it makes no progress for `longest`, at the latest after
 * twice that time; a reason names no user, password or address.
 * Does not: make an effect safe to run twice. When a connection ends during a commit, nobody knows whether the commit succeeded, and the
 * database may still finish an attempt that ended here.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { SqlError, UnknownError, isSqlError } from "effect/sql/SqlError"
import { abandonable } from "../../abandonable.ts"
import { codeOf } from "../../child/systemReason.ts"

/** The time during which an operation is tried again, ms. */
const patience = 5000
/** The longest time without progress, ms. A database that stands still, or a network that drops all packets, reports no error. */
const longest = 20_000

/** The steps that an attempt has made. A large value is written in many steps, and may take longer than `longest`. */
const Progress = Context.Reference<{ steps: number }>("k3-mcp/store/sql/Progress", { defaultValue: () => ({ steps: 0 }) })

/** Notes that the attempt goes on. */
export const progressed = Effect.map(Progress, (progress) => void progress.steps++)

/** By PostgreSQL's SQLSTATE. A connection error has the operating system's code instead. */
const words: ReadonlyMap<string, string> = new Map([
  ["25006", "it is read only, as a standby is"],
  ["25P03", "this machine stood still for too long"],
  ["28P01", "it refuses the password"],
  ["28000", "it refuses the user"],
  ["3D000", "there is no such database"],
  ["42501", "permission denied"],
  ["42P01", "its tables are not there"],
  ["53100", "no space left on its disk"],
  ["53200", "it is out of memory"],
  ["53300", "it has too many connections"],
  ["55P03", "its rows are locked"],
  ["57014", "it took too long"],
  ["57P01", "it is shutting down"],
  ["57P02", "it crashed"],
  ["57P03", "it is starting"],
])

/** Completes "the database cannot be written (…)". */
export const reasonOf = (error: SqlError): string => {
  const code = codeOf(error)
  const said = words.get(code ?? "")
  if (said !== undefined) return said
  return error.reason._tag === "ConnectionError"
    ? `it cannot be reached${code === undefined ? "" : `: ${code}`}`
    : (code ?? error.reason._tag)
}

/** True for errors that may pass soon: locks, lost connections, restarts. False for a full disk. */
const passes = (error: unknown): boolean => isSqlError(error) && (error.isRetryable || /^(?:08|25P03|53[23]|57P)/.test(codeOf(error) ?? ""))

const again = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("500 millis")]).pipe(Schedule.upTo({ duration: patience }))

/** The SQL client dies when a rollback fails. Its connection and its transaction have ended then, so the defect becomes a failure. */
const undone = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
  Effect.catchCause(effect, ({ reasons }): Effect.Effect<never, E | SqlError> => {
    const [died] = reasons.flatMap((each) => (Cause.isDieReason(each) && isSqlError(each.defect) ? [each.defect] : []))
    const rest = reasons.filter((each) => !(Cause.isDieReason(each) && isSqlError(each.defect)))
    return died !== undefined && rest.length === 0 ? Effect.fail(died) : Effect.failCause(Cause.fromReasons(rest))
  })

/** Fails when there was no progress between two looks. */
const stalled = (progress: { readonly steps: number }): Effect.Effect<never, SqlError> =>
  Effect.suspend(() => {
    const before = progress.steps
    const tookTooLong = Effect.fail(new SqlError({ reason: new UnknownError({ cause: { code: "57014" } }) }))
    return Effect.flatMap(Effect.sleep(longest), () => (progress.steps === before ? tookTooLong : stalled(progress)))
  })

/** Tries once, for as long as there is progress. */
export const within = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
  Effect.suspend(() => {
    const progress = { steps: 0 }
    return Effect.raceFirst(abandonable(Effect.provideService(undone(effect), Progress, progress)), stalled(progress))
  })

/** Tries again after errors that may pass, for `patience`. */
export const patiently = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
  Effect.retry(within(effect), { while: passes, schedule: again })

/**
 * Returns a function that runs operations patiently; after a failure of the database, it tries each once until one succeeds. So a call with several
 * operations waits for `patience` once.
 */
export const makeTrying = () => {
  let isOut = false
  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.suspend(() => (isOut ? within(effect) : patiently(effect))).pipe(
      Effect.tap(() => Effect.sync(() => (isOut = false))),
      Effect.tapError((error) => Effect.sync(() => (isOut ||= isSqlError(error)))),
    )
}

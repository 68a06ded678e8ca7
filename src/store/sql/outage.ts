/**
 * What is done about a database that does not answer, and how it is told.
 *
 * Guarantees: what may pass is tried again for `patience` at most, and an attempt is given up after `longest`; the words name no user, no
 * password and no address. Does not: make anything safe to be done twice, or later: a connection that ends during a commit leaves open
 * whether it was one, and what was given up may still be done when the database goes on.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import { SqlError, UnknownError, isSqlError } from "effect/sql/SqlError"

/** How long an outage is waited for, ms. */
export const patience = 5000
/** How long one attempt may take, ms: a database that stands still, or a network that swallows everything, tells nobody. */
const longest = 20_000

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

/** SQLSTATE of PostgreSQL, or the system's code of a connection. */
const codeOf = ({ reason }: SqlError): string | undefined => {
  const code = (reason.cause as { readonly code?: unknown } | null | undefined)?.code
  return typeof code === "string" ? code : undefined
}

/** Completes "the database cannot be written (…)". */
export const reasonOf = (error: SqlError): string => {
  const code = codeOf(error)
  const said = code === undefined ? undefined : words.get(code)
  if (said !== undefined) return said
  return error.reason._tag === "ConnectionError"
    ? `it cannot be reached${code === undefined ? "" : `: ${code}`}`
    : (code ?? error.reason._tag)
}

/** Locks, connections and restarts: a moment later it may work. A full disk stays full. */
const passes = (error: unknown): boolean => isSqlError(error) && (error.isRetryable || /^(?:08|25P03|53[23]|57P)/.test(codeOf(error) ?? ""))

const again = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("500 millis")]).pipe(Schedule.upTo({ duration: patience }))

/** A client that cannot roll back dies of it: its connection has ended, and with it the transaction. */
const undone = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
  Effect.catchCause(effect, ({ reasons }): Effect.Effect<never, E | SqlError> => {
    const [died] = reasons.flatMap((each) => (Cause.isDieReason(each) && isSqlError(each.defect) ? [each.defect] : []))
    const rest = reasons.filter((each) => !(Cause.isDieReason(each) && isSqlError(each.defect)))
    return died !== undefined && rest.length === 0 ? Effect.fail(died) : Effect.failCause(Cause.fromReasons(rest))
  })

/** Whoever stops waiting does so at once: a client waits for its answer even to give it up, and a database that stands still has none. */
const abandonable = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.forkDetach(effect, { startImmediately: true }), (fiber) =>
    Effect.onInterrupt(Effect.interruptible(Fiber.join(fiber)), () => Effect.sync(() => fiber.interruptUnsafe())),
  )

/** Once, and not for ever, wherever it is used. */
export const within = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
  Effect.timeoutOrElse(abandonable(undone(effect)), {
    duration: longest,
    orElse: () => Effect.fail(new SqlError({ reason: new UnknownError({ cause: { code: "57014" } }) })),
  })

export const patiently = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
  Effect.retry(within(effect), { while: passes, schedule: again })

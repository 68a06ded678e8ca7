/**
 * Makes and forks sessions, and merges variables of one session into another, on request of a call.
 *
 * Guarantees: a name that is in use or on disk is refused, unless the call asks for the session that is on disk. The history of a session
 * begins with K code that makes the variables it was given, unless the session is ephemeral.
 */
import * as Effect from "effect/Effect"
import type { Contents } from "../child/Contents.ts"
import { translated } from "../child/engines/translated.ts"
import { type History, recordEvent } from "./history/History.ts"
import type { MadeSession, ManagedSession, Origin } from "./ManagedSession.ts"
import type { SessionPool } from "./SessionPool.ts"
import { NoVariable, type NoSession, type SessionError, type TooManySessions } from "./SessionError.ts"
import type { SessionStatus } from "./SessionStatus.ts"
import { choose, type Merged } from "./variables/merge.ts"
import { scriptOf } from "./variables/workspaceScript.ts"

export interface NewSession {
  /** When absent, the server chooses an unused name. */
  readonly name?: string | undefined
  readonly engine?: SessionStatus["engine"] | undefined
  readonly isEphemeral?: boolean | undefined
  /** As of `Origin`. */
  readonly isBrief?: boolean | undefined
}

/** The present variables of a session, or those of a snapshot. */
export interface CopySource {
  readonly from: string
  readonly snapshot?: string | undefined
}

export interface Merge extends CopySource {
  readonly into: string
  readonly names: readonly string[]
  readonly overwrite: boolean
}

/** Characters of the script with which a fork's history begins. */
const mostScript = 100_000

interface Parts {
  readonly pool: SessionPool
  readonly history: History["Service"]
  /** The session of this name, open or in the store. */
  readonly find: (name: string) => Effect.Effect<ManagedSession, NoSession | TooManySessions>
  /** The session that variables are taken from; it may be on another machine. */
  readonly source: (name: string) => Effect.Effect<Pick<ManagedSession, "contents">, SessionError>
  readonly isStored: (name: string) => Effect.Effect<boolean>
  /** Makes a session under its name, or without one under a free name. */
  readonly named: <A>(name: string | undefined, make: (name: string) => Effect.Effect<A, SessionError>) => Effect.Effect<A, SessionError>
}

const wordsOf = ({ from, snapshot }: CopySource): string => (snapshot === undefined ? from : `snapshot ${snapshot} of ${from}`)

export const makeNewSessions = ({ pool, history, find, source, isStored, named }: Parts) => {
  const begin = ({ name: asked, isEphemeral = false, isBrief }: NewSession, origin: Origin): Effect.Effect<MadeSession, SessionError> =>
    named(asked, (name) => Effect.map(pool.begin(name, { ...origin, isEphemeral, isBrief }), (begun) => ({ ...begun, name, isEphemeral })))

  const create: (request: NewSession) => Effect.Effect<MadeSession, SessionError> = Effect.fnUntraced(function* (request) {
    const { name, engine, isEphemeral } = request
    if (name !== undefined && isEphemeral === true && (yield* isStored(name))) return yield* pool.taken(name)
    return yield* begin(request, { engine })
  })

  /** Records the variables a session was given as code, so that its history can be run again in an empty session. */
  const record = Effect.fnUntraced(function* (
    { name, engine, generation }: Omit<MadeSession, "isEphemeral" | "variables">,
    contents: Contents,
    rest: { readonly output: string; readonly event?: "fork" },
  ) {
    if (pool.find(name)?.isEphemeral === true) return
    const code = scriptOf(engine, contents, mostScript).text.trimEnd()
    yield* recordEvent(yield* history.of(name), { code, generation, ...rest })
  })

  /** Fails when an open or stored session has the name. */
  const unused = Effect.fnUntraced(function* (name: string | undefined) {
    if (name !== undefined && (pool.find(name) !== undefined || (yield* isStored(name)))) return yield* pool.taken(name)
  })

  const fork: (request: NewSession & CopySource) => Effect.Effect<MadeSession, SessionError> = Effect.fnUntraced(function* (request) {
    const { from, snapshot, name, engine: wanted } = request
    const taken = Effect.flatMap(source(from), (session) => session.contents(snapshot))
    // The source's queue is entered before the store is asked for the name: a reset that is asked for after the fork must not come before it.
    const [held] = yield* Effect.all([taken, unused(name)], { concurrency: "unbounded" })
    // The source may have been busy for long.
    yield* unused(name)
    const engine = wanted ?? held.engine
    const contents = translated(held.contents, held.engine, engine)
    const begun = yield* begin(request, { engine, why: `forked from ${from}`, contents })
    yield* record(begun, contents, { output: wordsOf(request), event: "fork" })
    return begun
  })

  const merge: (request: Merge) => Effect.Effect<Merged, SessionError> = Effect.fnUntraced(function* (request) {
    const { from, snapshot, into, names, overwrite } = request
    const target = yield* find(into)
    const { contents, engine } = yield* (yield* source(from)).contents(snapshot)
    const { chosen, unknown } = choose(contents, names)
    if (unknown.length > 0)
      return yield* new NoVariable({
        session: from,
        ...(snapshot !== undefined && { snapshot }),
        names: unknown,
        held: [...contents.variables.keys()],
      })
    const { taken, ...merged } = yield* target.merge(chosen, engine, overwrite)
    if (taken.variables.size > 0) yield* record({ name: into, ...merged }, taken, { output: "" })
    return merged
  })

  return { create, fork, merge }
}

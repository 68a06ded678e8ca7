/**
 * The form of a row in the table of requests (`index.ts`): the schemas of the request and its answer, the description of its change, and its work
 * on the machine that has the session. Guarantees: the compiler checks that rows and their callers agree.
 */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Session } from "../../session/Session.ts"
import type { SessionError } from "../../session/SessionError.ts"
import type { Relocation, Sessions } from "../../session/Sessions.ts"
import type { RequestFailure } from "../errors.ts"

/** A session on the machine that has it. */
export interface LocalSession {
  readonly name: string
  /** The sessions of its space on this machine. */
  readonly here: Sessions["Service"]
  readonly relocation: Relocation["Service"]
  readonly owner: { readonly machine: string; readonly epoch: number }
  /** The session; makes it when there is none. Fails with `EphemeralEnded` when an ephemeral session of this name is lost. */
  readonly get: Effect.Effect<Session, SessionError>
  /** Marks the session as ephemeral or ordinary, for this machine and the next owner. */
  readonly mark: (isEphemeral: boolean) => Effect.Effect<void>
  /** Keeps the session on this machine until the background evaluation of the handle has ended. */
  readonly stayFor: (handle: string) => Effect.Effect<void>
}

export interface RequestRow<Given extends Schema.Struct.Fields, Answer extends Schema.Codec<any, any>, E extends RequestFailure> {
  readonly given: Given
  readonly answer: Answer
  /** The request in words or K, for `MachineLost`. Undefined when the request changes nothing; it may then run twice. */
  readonly changes: ((given: Schema.Struct<Given>["Type"]) => string) | undefined
  readonly run: (at: LocalSession, given: Schema.Struct<Given>["Type"]) => Effect.Effect<Answer["Type"], E>
}

type Fields = Schema.Struct.Fields
type Codec = Schema.Codec<any, any>
type GivenOf<Given extends Fields> = Schema.Struct<Given>["Type"]

/** A request that changes nothing. */
export const read = <const Given extends Fields, Answer extends Codec, E extends RequestFailure = never>(
  given: Given,
  answer: Answer,
  run: (at: LocalSession, given: GivenOf<Given>) => Effect.Effect<Answer["Type"], E>,
): RequestRow<Given, Answer, E> => ({ given, answer, changes: undefined, run })

/** A request that runs only under the epoch that its sender knows. */
export const change = <const Given extends Fields, Answer extends Codec, E extends RequestFailure = never>(
  given: Given,
  answer: Answer,
  changes: (given: GivenOf<Given>) => string,
  run: (at: LocalSession, given: GivenOf<Given>) => Effect.Effect<Answer["Type"], E>,
): RequestRow<Given, Answer, E> => ({ given, answer, changes, run })

/** Work on the session itself, which is made when there is none. */
export const inSession =
  <Given, A, E>(work: (session: Session, given: Given) => Effect.Effect<A, E>) =>
  ({ get }: LocalSession, given: Given): Effect.Effect<A, E | SessionError> =>
    Effect.flatMap(get, (session) => work(session, given))

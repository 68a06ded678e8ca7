/**
 * The form of a row of the table of requests (`index.ts`): what is given and answered, what it changes, and what the machine that has the
 * session does. Guarantees: rows and their callers are held together by the compiler.
 */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Session } from "../../session/Session.ts"
import type { SessionError } from "../../session/SessionError.ts"
import type { Residence, Sessions } from "../../session/Sessions.ts"
import type { Failure } from "../errors.ts"

/** A session, on the machine that has it. */
export interface At {
  readonly name: string
  /** The sessions of its space on this machine. */
  readonly here: Sessions["Service"]
  readonly residence: Residence["Service"]
  readonly owner: { readonly machine: string; readonly epoch: number }
  /** The session, made when there is none; not in place of an ephemeral one that is gone. */
  readonly get: Effect.Effect<Session, SessionError>
  /** It is ephemeral from now on, or is not. */
  readonly mark: (isEphemeral: boolean) => Effect.Effect<void>
  /** The session stays with this machine until that evaluation in the background has ended. */
  readonly stayFor: (handle: string) => Effect.Effect<void>
}

export interface Row<Given extends Schema.Struct.Fields, Answer extends Schema.Codec<any, any>, E extends Failure> {
  readonly given: Given
  readonly answer: Answer
  /** In words or K, for whoever has to be told that it is lost. Without it nothing is changed, and it may be asked twice. */
  readonly changes: ((given: Schema.Struct<Given>["Type"]) => string) | undefined
  readonly run: (at: At, given: Schema.Struct<Given>["Type"]) => Effect.Effect<Answer["Type"], E>
}

type Fields = Schema.Struct.Fields
type Codec = Schema.Codec<any, any>
type GivenOf<Given extends Fields> = Schema.Struct<Given>["Type"]

/** A request that changes nothing. */
export const look = <const Given extends Fields, Answer extends Codec, E extends Failure = never>(
  given: Given,
  answer: Answer,
  run: (at: At, given: GivenOf<Given>) => Effect.Effect<Answer["Type"], E>,
): Row<Given, Answer, E> => ({ given, answer, changes: undefined, run })

/** A request that is run under the epoch that its sender knows, or not at all. */
export const change = <const Given extends Fields, Answer extends Codec, E extends Failure = never>(
  given: Given,
  answer: Answer,
  changes: (given: GivenOf<Given>) => string,
  run: (at: At, given: GivenOf<Given>) => Effect.Effect<Answer["Type"], E>,
): Row<Given, Answer, E> => ({ given, answer, changes, run })

/** Of the session itself, which is made when there is none. */
export const inSession =
  <Given, A, E>(work: (session: Session, given: Given) => Effect.Effect<A, E>) =>
  ({ get }: At, given: Given): Effect.Effect<A, E | SessionError> =>
    Effect.flatMap(get, (session) => work(session, given))

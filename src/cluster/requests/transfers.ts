/** Requests that copy variables from one session to another, on one machine or two. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { keptIn } from "../../child/Contents.ts"
import type { EncodedContents } from "../../session/ManagedSession.ts"
import { TooMuchToMove } from "../../session/SessionError.ts"
import type { Merged } from "../../session/variables/merge.ts"
import { change, read } from "./request.ts"
import { MadeOf } from "./sessions.ts"
import { DifferenceOf, Engine, flag, list, losses, number, orNone, struct, text, VariableOf } from "./shapes.ts"

/** The most bytes of values in one message. Escaped, the values stay below `longestMessage` (`member.ts`). */
const mostMoved = 64 * 1024 ** 2

const HeldOf: Schema.Codec<EncodedContents, unknown> = struct({
  contents: struct({
    variables: Schema.ReadonlyMap(text, VariableOf),
    settings: Schema.UndefinedOr(struct({ precision: number, seed: number, directory: text, folder: text })),
    // The name in messages of earlier versions.
  }).pipe(Schema.encodeKeys({ settings: "workspace" })),
  engine: Engine,
})

const MergedOf: Schema.Codec<Merged> = struct({
  generation: number,
  engine: Engine,
  added: list(text),
  overwritten: list(DifferenceOf),
  same: list(text),
  lost: losses,
})

const source = { from: text, snapshot: orNone(text) }

export const transfers = {
  /** The contents of the session or of one of its snapshots; changes nothing. */
  State: read({ snapshot: orNone(text) }, HeldOf, ({ relocation, name }, { snapshot }) =>
    Effect.flatMap(
      relocation.contents(name, snapshot),
      ({ contents: { variables, settings }, engine }): Effect.Effect<EncodedContents, TooMuchToMove> => {
        const bytes = keptIn(variables.values())
        return bytes > mostMoved
          ? new TooMuchToMove({ session: name, bytes, limit: mostMoved })
          : Effect.succeed({ contents: { variables, settings }, engine })
      },
    ),
  ),
  Fork: change(
    { ...source, engine: orNone(Engine), isEphemeral: orNone(flag), isBrief: orNone(flag) },
    MadeOf,
    ({ from }) => `the fork of ${from}`,
    ({ here, name, mark }, given) => Effect.tap(here.fork({ name, ...given }), (made) => mark(made.isEphemeral)),
  ),
  Merge: change(
    { ...source, names: list(text), overwrite: flag },
    MergedOf,
    ({ from }) => `the merge from ${from}`,
    ({ here, name }, given) => here.merge({ into: name, ...given }),
  ),
}

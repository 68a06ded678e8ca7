/** Sends K code of the server's own, and side requests, to an embedded child. */
import * as Effect from "effect/Effect"
import { encode, side } from "../../repl/frame.ts"
import type { Child, ChildEnded } from "../Child.ts"
import { beginningOf, wholeOf } from "../replyText.ts"

/** Evaluates code; for short replies, since only the beginning is kept. */
export const text = (child: Child, code: string): Effect.Effect<string, ChildEnded> =>
  Effect.map(child.ask(encode({ source: code, wire: code }, "keep")), beginningOf)

/** The answer to a side request, as JSON; undefined when it is longer than the kept bytes of a reply. */
export const sideRequest = (child: Child, request: object): Effect.Effect<string | undefined, ChildEnded> =>
  Effect.map(child.ask(side(request)), wholeOf)

/** Requests of the server's own to a child: K code, which is sent as one line, and side requests to the embedded engine. */
import * as Effect from "effect/Effect"
import { encode, side } from "../../repl/frame.ts"
import type { Child, ChildEnded } from "../Child.ts"
import { beginningOf, wholeOf } from "../replyText.ts"

export const line = (code: string): string => encode({ source: code, wire: code }, "join")

/** The reply as text; for short replies, since only the beginning is kept. */
export const text = (child: Child, code: string): Effect.Effect<string, ChildEnded> => Effect.map(child.ask(line(code)), beginningOf)

/** The whole reply; undefined when it is longer than the kept bytes of a reply. */
export const whole = (child: Child, code: string): Effect.Effect<string | undefined, ChildEnded> =>
  Effect.map(child.ask(line(code)), wholeOf)

/** The answer to a side request, as JSON; undefined when it is longer than the kept bytes of a reply. */
export const sideRequest = (child: Child, request: object): Effect.Effect<string | undefined, ChildEnded> =>
  Effect.map(child.ask(side(request)), wholeOf)

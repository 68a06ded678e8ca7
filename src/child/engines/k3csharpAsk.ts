/** Evaluates K code of the server's own in a K3CSharp child. */
import * as Effect from "effect/Effect"
import { encode } from "../../repl/frame.ts"
import type { Child, ChildEnded } from "../Child.ts"

export const line = (code: string): string => encode({ source: code, wire: code }, "join")

const utf8 = new TextDecoder()

/** The whole reply; undefined when it is longer than the kept bytes of a reply. */
export const whole = (child: Child, code: string): Effect.Effect<string | undefined, ChildEnded> =>
  Effect.map(child.ask(line(code)), ({ head, tail, omitted }) => (omitted > 0 ? undefined : utf8.decode(head) + utf8.decode(tail)))

/** The reply as text; for short replies, since only the beginning is kept. */
export const text = (child: Child, code: string): Effect.Effect<string, ChildEnded> =>
  Effect.map(child.ask(line(code)), ({ head }) => utf8.decode(head))

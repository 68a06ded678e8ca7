/** Asking a K3CSharp child something in K on the server's own behalf. */
import * as Effect from "effect/Effect"
import { encode } from "../../repl/frame.ts"
import type { Child, ChildEnded } from "../Child.ts"

export const line = (code: string): string => encode({ source: code, wire: code }, "join")

const utf8 = new TextDecoder()

/** The whole reply, or undefined when it is longer than what is kept. */
export const whole = (child: Child, code: string): Effect.Effect<string | undefined, ChildEnded> =>
  Effect.map(child.ask(line(code)), ({ head, tail, omitted }) => (omitted > 0 ? undefined : utf8.decode(head) + utf8.decode(tail)))

/** What it printed; meant for short replies. */
export const text = (child: Child, code: string): Effect.Effect<string, ChildEnded> =>
  Effect.map(child.ask(line(code)), ({ head }) => utf8.decode(head))

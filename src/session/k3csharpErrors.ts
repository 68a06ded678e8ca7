/** K3CSharp's messages as errors of K: K's own name where the message tells which it is, the engine's text always and whole. */
import type { KFailure } from "./Session.ts"

/** First match wins. Messages as measured on the head of 2026-04-18. */
const table: readonly (readonly [RegExp, string])[] = [
  [/size mismatch|length/i, "length"],
  [/undefined variable|undefined function/i, "value"],
  [
    /unterminated string|unexpected token|unmatched|expected .* (token|after|before)|parse|lexer|CreateNodeFromToken|atomic token/i,
    "syntax",
  ],
  [/index .*(out of|range|bounds)|out of range|subscript/i, "index"],
  [/domain/i, "domain"],
  [/\brank\b|expects? \d+ arguments?|requires? .*arguments?|too many arguments|valence/i, "rank"],
  [/stack|recursion/i, "stack"],
  [/OutOfMemory|out of memory/i, "wsfull"],
  [/file not found|access|permission|could not find file/i, "access"],
  [/not implemented|not supported|unknown (verb|operator|function)/i, "nonce"],
  [/cannot (add|subtract|multiply|divide|compare|convert|enumerate|apply|flip|take|drop|negate)|must be|type|cast/i, "type"],
]

/** The error at the start of a reply. A string that begins with these letters prints with quotes, so it is never taken for one. */
export const failureOf = (reply: string): KFailure | undefined => {
  if (!reply.startsWith("Error: ")) return undefined
  const text = reply.trimEnd()
  return { name: table.find(([pattern]) => pattern.test(text))?.[1] ?? "error", text }
}

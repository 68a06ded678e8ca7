/**
 * Turns K3CSharp's error messages into errors of K: K's name of the error, the verb where the message tells it, and the whole message. The
 * messages were collected on its head of 2026-04-18.
 */
import type { KFailure } from "./Engine.ts"

/** First match wins. */
const names: readonly (readonly [RegExp, string])[] = [
  [/^Error: Rank error/i, "rank"],
  [/index .*(out of|range|bounds)|out of range|subscript/i, "index"],
  [/size mismatch|length error|lengths? must|(equal|same) length|dimensions incompatible/i, "length"],
  [/undefined variable|undefined function/i, "value"],
  [/unexpected character/i, "character"],
  [
    /unterminated string|unexpected token|unmatched|unclosed|expected .* (token|after|before|inside|in )|parse|lexer|CreateNodeFromToken|atomic token/i,
    "syntax",
  ],
  [/not implemented|not supported|reserved for future|unknown (?:monadic |dyadic |system )?(verb|operator|function|variable)/i, "nonce"],
  [/domain/i, "domain"],
  [/requires? (an? )?(integer|vector|numeric|character|symbol|matri|dictionary|nonnegative)|can only be applied/i, "type"],
  [/expects? \d+ arguments?|too many arguments|valence/i, "valence"],
  [/\brank\b|requires? .*arguments?/i, "rank"],
  [/stack|recursion/i, "stack"],
  [/OutOfMemory|out of memory/i, "wsfull"],
  [/file not found|could not find file|cannot find the file/i, "no such file or directory"],
  [/access|permission/i, "access"],
  [/^Error: Cannot |must be|invalid format|type|cast/i, "type"],
]

/** The words for a verb in a message, the verb, and its number of arguments. */
const verbs: readonly (readonly [RegExp, string, 1 | 2])[] = [
  [/cannot add |for addition/i, "+", 2],
  [/cannot subtract |for subtraction/i, "-", 2],
  [/cannot multiply |for multiplication/i, "*", 2],
  [/cannot divide |for division|by zero/i, "%", 2],
  [/(find|for) minimum/i, "&", 2],
  [/(find|for) maximum/i, "|", 2],
  [/to power|for power/i, "^", 2],
  [/modulus/i, "!", 2],
  [/take count/i, "#", 2],
  [/drop\/cut|cut operation/i, "_", 2],
  [/format specifier/i, "$", 2],
  [/monadic minus|cannot negate/i, "-", 1],
  [/reciprocal/i, "%", 1],
  [/cannot floor/i, "_", 1],
  [/cannot enumerate/i, "!", 1],
  [/grade-up/i, "<", 1],
  [/grade-down/i, ">", 1],
  [/apply where/i, "&", 1],
  [/flip requires/i, "+", 1],
]

/** System names of K that K3CSharp does not have: its message leaves out their `_`. */
const missing: ReadonlySet<string> = new Set(["ssr", "host"])

const verbOf = (text: string): Pick<KFailure, "at" | "valence"> => {
  const compared = /cannot compare .* with ([<>=~])/i.exec(text)?.[1]
  if (compared !== undefined) return { at: compared, valence: 2 }
  const undefinedName = /undefined (?:variable|function): ([\w.]+)/i.exec(text)?.[1]
  const named =
    /^Error: (If|While|Do) \w+ requires/.exec(text)?.[1]?.toLowerCase() ??
    /^Error: (_[a-z]+|\d:)/.exec(text)?.[1] ??
    /^Error: Math([A-Z][a-z]+) /.exec(text)?.[1]?.replace(/^/, "_").toLowerCase() ??
    (undefinedName !== undefined && missing.has(undefinedName) ? `_${undefinedName}` : undefinedName) ??
    /unexpected character: (\S+) at position/i.exec(text)?.[1]
  if (named !== undefined) return { at: named }
  const [, at, valence] = verbs.find(([pattern]) => pattern.test(text)) ?? []
  return at === undefined ? {} : { at, valence }
}

/** Whether a reply reports an error. No value prints like this, since strings print with quotes. */
export const isError = (reply: string): boolean => reply.startsWith("Error: ")

/** The error in a reply; undefined when it reports none. `folders`: the folders searched for scripts. */
export const failureOf = (reply: string, folders: readonly string[] = []): KFailure | undefined => {
  if (!isError(reply)) return undefined
  const said = reply.trimEnd()
  const script = /^Error: file not found: (.+)$/.exec(said)?.[1]
  const text = script === undefined || folders.length === 0 ? said : `${script} was not found in ${folders.join(" or ")}.\n${said}`
  return { name: names.find(([pattern]) => pattern.test(text))?.[1] ?? "error", text, ...verbOf(text.split("\n", 1)[0]!) }
}

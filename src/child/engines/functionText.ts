/**
 * Facts about a K function, found in its text without running it: parameters, locals, the names it uses, and whether it may read or write files,
 * or use a shell, other processes, randomness or time. Does not: parse. Names in inner functions count; code in strings does not.
 */
import { codeAlone } from "../../k3/text/scan.ts"

export interface FunctionFacts {
  readonly valence: number
  readonly parameters: readonly string[]
  readonly locals: readonly string[]
  /** Names other than its parameters and locals, absolute paths included. */
  readonly uses: readonly string[]
  /** Names it assigns outside itself (`a::1`, `.k.a:1`). */
  readonly assigns: readonly string[]
  readonly touches: readonly Touch[]
}

export type Touch = "file read" | "file write" | "shell" | "network" | "randomness" | "time" | "environment" | "text run as code"

/** The end of a value. A verb after it has a left argument. */
const value = String.raw`[A-Za-z\d)\]}"][ \t]*`
/** A verb of `0:` to `9:` that is not the end of a name, a number or a symbol. */
const verb = (digits: string): string => `(?<![A-Za-z\\d\`.])[${digits}]:`
/** The verb is looked for first: to look back over blanks at every character of a long text would take the square of its length. */
const monadic = (digits: string): RegExp => new RegExp(`(?=[${digits}]:)(?<!${value})${verb(digits)}`)
const dyadic = (digits: string, unless = ""): RegExp => new RegExp(`(?=[${digits}]:)${unless}(?<=${value})${verb(digits)}`)
/** A verb called with brackets or passed as a value: it may have one argument or two. */
const either = new RegExp(String.raw`${verb("016")}\s*(?:[[;)\]}]|$)`)
/** The left argument is no list that begins with types in quotes, which would read fields. */
const fields = String.raw`(?<!\(" *";[^()]*\)[ \t]*)`

const touching: readonly (readonly [Touch, RegExp])[] = [
  ["shell", /`[34]:/],
  ["file read", monadic("0126")],
  ["file read", either],
  // The left argument may be types and widths, or parts of a name.
  ["file read", /\)[ \t]*[01]:/],
  // `2:` calls native code, which may read and write.
  ["file read", dyadic("2")],
  ["file write", dyadic("01256", fields)],
  ["file write", either],
  ["network", monadic("3")],
  ["network", dyadic("34")],
  ["randomness", /_draw\b/],
  ["time", /_(?:t|T|lt)\b/],
  ["environment", /_(?:getenv|setenv|host|u|h|a|w|i|size|exit)\b/],
  ["text run as code", /(?:^|[[({;:])\s*\.(?:\s*[("]|\s+[A-Za-z]|[xyz]\b)/],
]

const control = new Set(["if", "do", "while"])

export const factsOf = (text: string): FunctionFacts => {
  const all = codeAlone(text)
  const isLambda = all.trimStart().startsWith("{")
  const listed = /^\s*\{\s*\[([^\][{}]*)\]/.exec(all)?.[1]
  const body = all.replaceAll(/\{\s*\[[^\][{}]*\]/g, "{").replaceAll(/`[\w.]*/g, "` ")
  const given = listed
    ?.split(";")
    .map((name) => name.trim())
    .filter((name) => name !== "")
  // Parameters of inner functions.
  const inner = [...all.matchAll(/\{\s*\[([^\][{}]*)\]/g)].flatMap(([, names]) => names!.split(";").map((name) => name.trim()))
  const mentioned = [...body.matchAll(/(?<![\w.])\.?[A-Za-z]\w*(?:\.[A-Za-z]\w*)*/g)].map(([name]) => name)
  const implicit = ["x", "y", "z"].filter((name, i, xyz) => xyz.slice(i).some((later) => mentioned.includes(later)))
  const parameters = isLambda ? (given ?? implicit) : []
  const assigned = [...body.matchAll(/(?<![\w.])(\.?[A-Za-z]\w*(?:\.[A-Za-z]\w*)*)(?:\[[^\][]*\])?[-+*%&|<>=^!~,#_$?@]?(::?)/g)]
  const assigns = assigned.filter(([, name, colons]) => colons === "::" || name!.includes(".")).map(([, name]) => name!)
  const own = assigned.filter(([, name, colons]) => colons === ":" && !name!.includes(".") && isLambda).map(([, name]) => name!)
  const locals = own.filter((name) => !parameters.includes(name) && !assigns.includes(name))
  const hidden = new Set([
    ...parameters,
    ...locals,
    ...inner,
    ...control,
    ...(given === undefined || inner.length > 0 ? ["x", "y", "z"] : []),
  ])
  const unique = (names: readonly string[]): readonly string[] => [...new Set(names)]
  return {
    valence: parameters.length,
    parameters,
    locals: unique(locals),
    uses: unique(mentioned.filter((name) => !hidden.has(name))),
    assigns: unique(assigns),
    touches: unique(touching.flatMap(([what, pattern]) => (pattern.test(all) ? [what] : []))) as readonly Touch[],
  }
}

/**
 * Facts about a K function, found in its text without running it: parameters, locals, the names it uses, and whether it may read or write files,
 * or use a shell, other processes, randomness or time. Does not: parse. Names in inner functions count; code in strings does not.
 */
import { Brackets, type Closer, codeAlone, type Opener, parts } from "../../k3/text/scan.ts"

export interface FunctionFacts {
  readonly valence: number
  readonly parameters: readonly string[]
  readonly locals: readonly string[]
  /** Names other than its parameters and locals, absolute paths included. */
  readonly uses: readonly string[]
  /** Names it assigns outside itself (`a::1`, `.k.a:1`; `a+:1` and `a[i]:1` where `a` is no local). */
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

const name = String.raw`(?<![\w.])\.?[A-Za-z]\w*(?:\.[A-Za-z]\w*)*`
const nameAtEnd = new RegExp(`${name}$`)
/** A name, or the end of its index, before the colon or colons of an assignment. */
const assigning = new RegExp(String.raw`(^|${name})([-+*%&|<>=^!~,#_$?@]?)(::?)`, "g")

interface Assignment {
  readonly name: string
  /** By `::`. */
  readonly isGlobal: boolean
  /** Not `a+:1` and `a[i]:1`, which change a local or else a global, and make no local. */
  readonly isWhole: boolean
}

function* assignmentsIn(text: string): Generator<Assignment, void> {
  const brackets = new Brackets<string>()
  let indexed = ""
  let before = ""
  for (const { kind, start, end } of parts(text)) {
    const part = text.slice(start, end)
    if (kind === "open") brackets.open(part as Opener, part === "[" ? (nameAtEnd.exec(before)?.[0] ?? "") : "")
    if (kind === "code")
      for (const [, own, verbs, colons] of part.matchAll(assigning))
        if (own !== "" || indexed !== "") yield { name: own || indexed, isGlobal: colons === "::", isWhole: own !== "" && verbs === "" }
    indexed = kind === "close" ? (brackets.close(part as Closer)?.about ?? "") : ""
    before = kind === "code" ? part : ""
  }
}

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
  const isImplicit = given === undefined || /\{(?!\s*\[)/.test(all.trimStart().slice(1))
  const mentioned = [...body.matchAll(new RegExp(name, "g"))].map(([each]) => each)
  const implicit = ["x", "y", "z"].filter((each, i, xyz) => xyz.slice(i).some((later) => mentioned.includes(later)))
  const parameters = isLambda ? (given ?? implicit) : []
  const assigned = [...assignmentsIn(body)]
  const own = assigned.filter((each) => isLambda && each.isWhole && !each.isGlobal && !each.name.includes("."))
  const bound = new Set([...own.map((each) => each.name), ...parameters, ...inner, ...(isImplicit ? ["x", "y", "z"] : [])])
  const assigns = assigned
    .filter((each) => each.isGlobal || each.name.includes(".") || !(each.isWhole || bound.has(each.name)))
    .map((each) => each.name)
  const locals = own.map((each) => each.name).filter((each) => !parameters.includes(each) && !assigns.includes(each))
  const hidden = new Set([...bound, ...control].filter((each) => !assigns.includes(each)))
  const unique = (names: readonly string[]): readonly string[] => [...new Set(names)]
  return {
    valence: parameters.length,
    parameters,
    locals: unique(locals),
    uses: unique(mentioned.filter((each) => !hidden.has(each))),
    assigns: unique(assigns),
    touches: unique(touching.flatMap(([what, pattern]) => (pattern.test(all) ? [what] : []))) as readonly Touch[],
  }
}

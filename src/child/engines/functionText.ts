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

/** The dot with a text after it, or passed as a value. A table and a dictionary of one entry are made with `.+` and `.,(`. */
const executes = String.raw`\.(?:[xyz]\b|[ \t]+[A-Za-z]|[ \t]*(?:_[a-z]|(?![ \t+\w.[\`]|,[(,\`])))`

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
  ["text run as code", new RegExp(String.raw`(?=\.)(?:(?<![\w.\`)\]}"][ \t]*)|(?<=\{\s*\[[^\][{}]*\]\s*))${executes}`)],
]

const control = new Set(["if", "do", "while"])

const name = String.raw`(?<![\w.])\.?[A-Za-z]\w*(?:\.[A-Za-z]\w*)*`
const everyName = new RegExp(name, "g")
const nameAtEnd = new RegExp(`${name}$`)
/** A name, with its attribute, or the end of its index, before the colon or colons of an assignment. */
const assigning = new RegExp(String.raw`(^|${name}(?:\.\.\w+)?)[ \t]*([-+*%&|<>=^!~,#_$?@]?)[ \t]*(::?)`, "g")
const parameterList = /\{\s*\[([^\][{}]*)\]/y

/** A function of the text. */
interface Scope {
  readonly outer: Scope | undefined
  /** Undefined without a list of parameters: x, y and z are parameters then. */
  readonly given: readonly string[] | undefined
  /** Parameters and locals. */
  readonly bound: Set<string>
}

interface Mention {
  readonly name: string
  readonly scope: Scope | undefined
}

interface Assignment extends Mention {
  /** By `::`, by a path, or of an attribute. */
  readonly isGlobal: boolean
  /** Not `a+:1` and `a[i]:1`, which change a local or else a global, and make no local. */
  readonly isWhole: boolean
}

const IMPLICIT = ["x", "y", "z"]

const scopeAt = (text: string, start: number, outer: Scope | undefined): Scope => {
  parameterList.lastIndex = start
  const listed = parameterList.exec(text)?.[1]
  const given = listed
    ?.split(";")
    .map((each) => each.trim())
    .filter((each) => each !== "")
  return { outer, given, bound: new Set(given ?? IMPLICIT) }
}

const readNames = (text: string) => {
  const scopes: Scope[] = []
  const mentioned: Mention[] = []
  const assigned: Assignment[] = []
  const brackets = new Brackets<{ readonly indexed: string; readonly around: Scope | undefined }>()
  let scope: Scope | undefined
  let indexed = ""
  let before = ""
  for (const { kind, start, end } of parts(text)) {
    const part = text.slice(start, end)
    const closed = kind === "close" ? brackets.close(part as Closer) : undefined
    if (kind === "open") brackets.open(part as Opener, { indexed: part === "[" ? (nameAtEnd.exec(before)?.[0] ?? "") : "", around: scope })
    if (part === "{") scopes.push((scope = scopeAt(text, start, scope)))
    if (closed !== undefined) scope = closed.about.around
    if (kind === "code") {
      for (const [each] of part.matchAll(everyName)) mentioned.push({ name: each, scope })
      for (const [, own, verb, colons] of part.matchAll(assigning)) {
        const target = own || indexed
        const isGlobal = colons === "::" || target.includes(".")
        if (target !== "") assigned.push({ name: target, scope, isGlobal, isWhole: own !== "" && verb === "" })
      }
    }
    indexed = closed?.about.indexed ?? ""
    before = kind === "code" ? part : ""
  }
  return { scopes, mentioned, assigned }
}

/** Functions in functions that are looked through for a local. Beyond them a name counts as a global. */
const DEEPEST = 32

/** The function that binds the name. */
const binderOf = ({ name: wanted, scope }: Mention): Scope | undefined => {
  let found = scope
  for (let i = 0; i < DEEPEST && found?.bound.has(wanted) === false; i++) found = found.outer
  return found?.bound.has(wanted) === true ? found : undefined
}

export const factsOf = (text: string): FunctionFacts => {
  const all = codeAlone(text)
  const { scopes, mentioned, assigned } = readNames(all.replaceAll(/`[\w.]*/g, "` "))
  const own = assigned.filter(({ isWhole, isGlobal, scope }) => isWhole && !isGlobal && scope !== undefined)
  for (const each of own) each.scope!.bound.add(each.name)
  const outermost = all.trimStart().startsWith("{") ? scopes[0] : undefined
  // `.x` executes x.
  const plain = mentioned.map((each): Mention => ({ ...each, name: each.name.replace(/^\.(?=[xyz]$)/, "") }))
  const ofOutermost = new Set(plain.filter((each) => binderOf(each) === outermost).map((each) => each.name))
  const implicit = IMPLICIT.filter((_, i) => IMPLICIT.slice(i).some((later) => ofOutermost.has(later)))
  const parameters = outermost === undefined ? [] : (outermost.given ?? implicit)
  const assigns = assigned.filter((each) => each.isGlobal || (!each.isWhole && binderOf(each) === undefined)).map((each) => each.name)
  const locals = own.map((each) => each.name).filter((each) => !parameters.includes(each) && !assigns.includes(each))
  const unique = (names: readonly string[]): readonly string[] => [...new Set(names)]
  return {
    valence: parameters.length,
    parameters,
    locals: unique(locals),
    uses: unique(
      mentioned
        .filter((each) => !control.has(each.name) && (assigns.includes(each.name) || binderOf(each) === undefined))
        .map((each) => each.name),
    ),
    assigns: unique(assigns),
    touches: unique(touching.flatMap(([what, pattern]) => (pattern.test(all) ? [what] : []))) as readonly Touch[],
  }
}

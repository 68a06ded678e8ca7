/**
 * The analysis of a K text for an editor: its tokens, functions and names, and the variable that each name stands for.
 *
 * Guarantees: pure; never throws; works on text that cannot be parsed. A name in a function is local if the function or an enclosing one has it as a
 * parameter or assigns it; any other name is a variable of the K tree, with its whole path. Does not: find names in symbols, or in strings that are
 * executed.
 */
import { entered } from "../k3/documents.ts"
import { isCommand, statements } from "../k3/text/statements.ts"
import { type EditorToken, tokensOf } from "./tokens.ts"

/** The range of a function in the text, and its local names. */
export interface FunctionScope {
  readonly start: number
  end: number
  readonly outer: FunctionScope | undefined
  readonly locals: Set<string>
  /** The written parameters; in a function without a list, x, y and z up to the last one that is used. */
  readonly parameters: string[]
}

/** A name at a position; offsets are those of the whole text. */
export interface Occurrence {
  readonly name: string
  readonly start: number
  readonly end: number
  /** The function in which the name is local; undefined for a variable of the tree. */
  readonly scope: FunctionScope | undefined
  /** The variable's path; for a local, its name. */
  readonly path: string
  /** Is the name assigned here, or a parameter? */
  readonly assigns: boolean
}

/** An assignment to a variable of the tree, outside of functions. */
export interface VariableDefinition extends Occurrence {
  /** The offset of the end of the assigned expression. */
  readonly to: number
  /** The parameters of the assigned function; undefined if the value is no function. */
  readonly parameters: readonly string[] | undefined
  /** Is the value a literal number, string or symbol? */
  readonly isLiteral: boolean
}

export interface Analysis {
  readonly text: string
  /** The tokens of all statements; after each statement comes an empty `;` token. */
  readonly tokens: readonly EditorToken[]
  readonly scopes: readonly FunctionScope[]
  readonly occurrences: readonly Occurrence[]
  readonly definitions: readonly VariableDefinition[]
  /** The scripts that `\l` loads, with the range of each name. */
  readonly loads: readonly { readonly name: string; readonly start: number; readonly end: number }[]
}

const CONTROL = /^(?:if|while|do)$/

const implicit = ["x", "y", "z"]

/** By the place of an opening bracket, that of the bracket that closes it. */
const closings = (tokens: readonly EditorToken[]): ReadonlyMap<number, number> => {
  const found = new Map<number, number>()
  const open: number[] = []
  tokens.forEach(({ kind }, i) => {
    if (kind === "open") open.push(i)
    else if (kind === "close" && open.length > 0) found.set(open.pop()!, i)
  })
  return found
}

/** The kind of assignment to the name at token `i`: `a:` is plain, `a::` global, `a+:` and `a[i]:` amend; undefined for none. */
const assignment = (
  tokens: readonly EditorToken[],
  closed: ReadonlyMap<number, number>,
  i: number,
): "plain" | "global" | "amends" | undefined => {
  const next = i + 1
  if (tokens[next]?.text === "[" && tokens[next].start === tokens[i]!.end) {
    const behind = tokens[(closed.get(next) ?? tokens.length) + 1]
    return behind?.kind === "colon" || (behind?.kind === "verb" && /^\D:$/.test(behind.text)) ? "amends" : undefined
  }
  const token = tokens[next]
  if (token?.kind === "colon") return tokens[next + 1]?.kind === "colon" && tokens[next + 1]!.start === token.end ? "global" : "plain"
  return token?.kind === "verb" && /^\D:$/.test(token.text) && token.start === tokens[i]!.end ? "amends" : undefined
}

/** The functions of a statement, with their parameters and local names; `around`: the innermost function around each token. */
const scopesOf = (tokens: readonly EditorToken[], closed: ReadonlyMap<number, number>, end: number) => {
  const scopes: FunctionScope[] = []
  const around: (FunctionScope | undefined)[] = []
  /** How many of `implicit` a function without a list has. */
  const used = new Map<FunctionScope, number>()
  let scope: FunctionScope | undefined
  tokens.forEach((token, i) => {
    if (token.text === "{") {
      scope = { start: token.start, end, outer: scope, locals: new Set(), parameters: [] }
      scopes.push(scope)
      if (tokens[i + 1]?.text !== "[") {
        for (const name of implicit) scope.locals.add(name)
        used.set(scope, 0)
      } else for (const name of parametersAt(tokens, i + 2)) scope.parameters.push(name)
      for (const name of scope.parameters) scope.locals.add(name)
    } else if (token.text === "}" && scope !== undefined) {
      scope.end = token.end
      scope = scope.outer
    } else if (token.kind === "name") {
      if (scope !== undefined && !token.text.includes(".") && assignment(tokens, closed, i) === "plain") scope.locals.add(token.text)
      const n = implicit.indexOf(token.text) + 1
      // The functions around this one count it too. One that has as many already is in functions that have as many.
      for (let each = scope; n > 0 && each !== undefined && !((used.get(each) ?? 0) >= n); each = each.outer)
        if (used.has(each)) used.set(each, n)
    }
    around.push(scope)
  })
  for (const [each, n] of used) each.parameters.push(...implicit.slice(0, n))
  return { scopes, around }
}

/** The names of a parameter list, whose first token is `from`; none if it is not closed. */
const parametersAt = (tokens: readonly EditorToken[], from: number): readonly string[] => {
  const names: string[] = []
  for (let i = from; i < tokens.length; i++) {
    if (tokens[i]!.text === "]") return names
    if (tokens[i]!.kind === "name") names.push(tokens[i]!.text)
  }
  return []
}

/** The innermost function around an offset. */
export const scopeAt = (scopes: readonly FunctionScope[], offset: number): FunctionScope | undefined =>
  scopes.findLast(({ start, end }) => start < offset && offset < end)

const holder = (scope: FunctionScope | undefined, name: string): FunctionScope | undefined => {
  let found = scope
  while (found !== undefined && !found.locals.has(name)) found = found.outer
  return found
}

/** The end of the expression that begins after a token: before a `;`, or before a closing bracket that is not part of it. */
const expressionEnd = (tokens: readonly EditorToken[], from: number): number => {
  let depth = 0
  let end = tokens[from]!.end
  for (let i = from + 1; i < tokens.length; i++) {
    const { kind, end: behind } = tokens[i]!
    if (depth === 0 && (kind === "semicolon" || kind === "close")) break
    if (kind === "open") depth++
    if (kind === "close") depth--
    end = behind
  }
  return end
}

/** A statement that is analysed, in the directory that is current there. */
interface AnalysedStatement {
  readonly tokens: readonly EditorToken[]
  readonly closed: ReadonlyMap<number, number>
  readonly scopes: readonly FunctionScope[]
  readonly around: readonly (FunctionScope | undefined)[]
  readonly directory: string
}

const isControlWord = (tokens: readonly EditorToken[], i: number): boolean => CONTROL.test(tokens[i]!.text) && tokens[i + 1]?.text === "["

/** The name at token `i`. */
const occurrenceOf = ({ tokens, closed, around, directory }: AnalysedStatement, i: number, isParameter: boolean): Occurrence => {
  const { text: name, start, end } = tokens[i]!
  const way = assignment(tokens, closed, i)
  // As in K: `a::` is the local where there is one; entries that it assigns, and attributes, are of the tree.
  const isOfTree = name.includes(".") && (way === "global" || (way !== undefined && name.includes("..")))
  const scope = isOfTree ? undefined : holder(around[i], name.split(".", 1)[0]!)
  // A dependency `a..d:"b+1"` gives `a` its value.
  const variable = name.replace(/\.\.d$/, "")
  const path = scope !== undefined ? name : variable.startsWith(".") ? variable : `${directory}.${variable}`
  return { name, start, end, scope, path, assigns: isParameter || way !== undefined }
}

/** The definition that the name at token `i` begins; undefined when nothing outside of functions assigns it. */
const definitionOf = (statement: AnalysedStatement, i: number, occurrence: Occurrence): VariableDefinition | undefined => {
  const { tokens, closed, scopes, around } = statement
  const way = assignment(tokens, closed, i)
  if (occurrence.scope !== undefined || (way !== "plain" && way !== "global") || around[i] !== undefined) return undefined
  const at = i + (way === "plain" ? 1 : 2)
  const value = tokens[at + 1]
  const lambda = value?.text === "{" ? scopes.find((each) => each.start === value.start) : undefined
  const to = expressionEnd(tokens, at)
  const isFunction = lambda !== undefined && lambda.end === to
  const isLiteral = value !== undefined && ["number", "string", "symbol"].includes(value.kind)
  return { ...occurrence, to, parameters: isFunction ? lambda.parameters : undefined, isLiteral }
}

export const analysisOf = (text: string): Analysis => {
  const lineStarts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]
  const found = {
    tokens: [] as EditorToken[],
    scopes: [] as FunctionScope[],
    occurrences: [] as Occurrence[],
    definitions: [] as VariableDefinition[],
  }
  const loads: { name: string; start: number; end: number }[] = []
  let directory = ".k"
  for (const { source, line } of statements(text)) {
    const base = lineStarts[line - 1]!
    if (isCommand(source)) {
      const [, command, argument = ""] = /^\s*\\([ld])\s+(\S+)/.exec(source) ?? []
      const start = base + source.indexOf(argument, source.indexOf("\\") + 2)
      if (command === "d") directory = entered(directory, argument)
      if (command === "l") loads.push({ name: argument, start, end: start + argument.length })
      continue
    }
    const end = base + source.length
    const tokens = tokensOf(source, base)
    const closed = closings(tokens)
    const statement = { tokens, closed, directory, ...scopesOf(tokens, closed, end) }
    let inParameters = false
    tokens.forEach(({ kind, text }, i) => {
      if (text === "[") inParameters ||= tokens[i - 1]?.text === "{"
      if (text === "]") inParameters = false
      if (kind !== "name" || isControlWord(tokens, i)) return
      const occurrence = occurrenceOf(statement, i, inParameters)
      const definition = definitionOf(statement, i, occurrence)
      found.occurrences.push(occurrence)
      if (definition !== undefined) found.definitions.push(definition)
    })
    for (const each of tokens) found.tokens.push(each)
    found.tokens.push({ kind: "semicolon", text: "\n", start: end, end, afterNoun: false })
    for (const each of statement.scopes) found.scopes.push(each)
  }
  return { text, ...found, loads }
}

/** The item whose range contains the offset; if none does, the item that ends there. */
export const at = <A extends { readonly start: number; readonly end: number }>(items: readonly A[], offset: number): A | undefined =>
  items.find(({ start, end }) => start <= offset && offset < end) ?? items.find(({ end }) => end === offset)

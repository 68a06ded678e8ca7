/**
 * A text of K as an editor asks of it: its statements, the names in them, and which variable each stands for.
 *
 * Guarantees: pure; never throws; works on text that cannot be parsed. A name in a function is local when the function, or one around it, has it as a
 * parameter or assigns it; every other one is a variable of the K tree, by its whole path. Does not: see names in symbols, or in text that is
 * run as code.
 */
import { isCommand, statements } from "../k3/text/statements.ts"
import { type Token, tokensOf } from "./tokens.ts"

/** A function's text, and the names it has to itself. */
export interface Scope {
  readonly start: number
  end: number
  readonly outer: Scope | undefined
  readonly locals: Set<string>
  /** As written; x, y and z, as far as they are used, without a list. */
  readonly parameters: string[]
}

/** A name where it stands; offsets are those of the text. */
export interface Occurrence {
  readonly name: string
  readonly start: number
  readonly end: number
  /** The function that has it to itself; absent for a variable of the tree. */
  readonly scope: Scope | undefined
  /** The variable's path; of a local its name. */
  readonly path: string
  /** It is given a value here, or is a parameter. */
  readonly assigns: boolean
}

/** A variable that a statement gives a value when the text is run. */
export interface Definition extends Occurrence {
  /** From its name to the end of what it is given. */
  readonly to: number
  /** Its parameters, when it is given a function. */
  readonly parameters: readonly string[] | undefined
  /** Whether it is given a number, text or symbol written there. */
  readonly isLiteral: boolean
}

export interface Script {
  readonly text: string
  /** Of all statements; behind each stands a `;` without a text of its own. */
  readonly tokens: readonly Token[]
  readonly scopes: readonly Scope[]
  readonly occurrences: readonly Occurrence[]
  readonly definitions: readonly Definition[]
  /** What `\l` loads, each with its place. */
  readonly loads: readonly { readonly name: string; readonly start: number; readonly end: number }[]
}

const CONTROL = /^(?:if|while|do)$/

const implicit = ["x", "y", "z"]

const entered = (directory: string, to: string): string => {
  if (to === "^") return directory.slice(0, Math.max(directory.lastIndexOf("."), 0)) || ".k"
  return to.startsWith(".") ? to : `${directory}.${to}`
}

/** How the name at a place among the tokens is assigned: `a:`, `a::`, `a+:` and `a[i]:`, or not at all. */
const assignment = (tokens: readonly Token[], i: number): "plain" | "global" | "amends" | undefined => {
  let next = i + 1
  if (tokens[next]?.text === "[" && tokens[next]!.start === tokens[i]!.end) {
    for (let depth = 0; next < tokens.length; next++) {
      if (tokens[next]!.kind === "open") depth++
      else if (tokens[next]!.kind === "close" && --depth === 0) break
    }
    const behind = tokens[next + 1]
    return behind?.kind === "colon" || (behind?.kind === "verb" && /^\D:$/.test(behind.text)) ? "amends" : undefined
  }
  const token = tokens[next]
  if (token?.kind === "colon") return tokens[next + 1]?.kind === "colon" && tokens[next + 1]!.start === token.end ? "global" : "plain"
  return token?.kind === "verb" && /^\D:$/.test(token.text) && token.start === tokens[i]!.end ? "amends" : undefined
}

/** The functions of a statement, with their parameters and what they assign. */
const scopesOf = (tokens: readonly Token[], end: number): readonly Scope[] => {
  const scopes: Scope[] = []
  let scope: Scope | undefined
  tokens.forEach((token, i) => {
    if (token.text === "{") {
      scope = { start: token.start, end, outer: scope, locals: new Set(), parameters: [] }
      scopes.push(scope)
      const from = i + 2
      if (tokens[i + 1]?.text !== "[") for (const name of implicit) scope.locals.add(name)
      else
        for (const { kind, text } of tokens.slice(
          from,
          Math.max(
            from,
            tokens.findIndex((each, at) => at >= from && each.text === "]"),
          ),
        ))
          if (kind === "name") scope.parameters.push(text)
      for (const name of scope.parameters) scope.locals.add(name)
    } else if (token.text === "}" && scope !== undefined) {
      scope.end = token.end
      scope = scope.outer
    } else if (scope !== undefined && token.kind === "name" && !token.text.includes(".") && assignment(tokens, i) === "plain")
      scope.locals.add(token.text)
  })
  for (const each of scopes.filter(
    ({ parameters, start }) => parameters.length === 0 && tokens[tokens.findIndex((token) => token.start === start) + 1]?.text !== "[",
  )) {
    const used = implicit.findLastIndex((name) =>
      tokens.some(({ text, start, kind }) => kind === "name" && text === name && start > each.start && start < each.end),
    )
    each.parameters.push(...implicit.slice(0, used + 1))
  }
  return scopes
}

/** The innermost function around a place. */
export const scopeAt = (scopes: readonly Scope[], offset: number): Scope | undefined =>
  scopes.findLast(({ start, end }) => start < offset && offset < end)

const holder = (scope: Scope | undefined, name: string): Scope | undefined =>
  scope === undefined || scope.locals.has(name) ? scope : holder(scope.outer, name)

/** Where the expression ends that begins behind a token: at a `;`, or a bracket that closes one around it. */
const expressionEnd = (tokens: readonly Token[], from: number): number => {
  let depth = 0
  let end = tokens[from]!.end
  for (const { kind, end: behind } of tokens.slice(from + 1)) {
    if (depth === 0 && (kind === "semicolon" || kind === "close")) break
    if (kind === "open") depth++
    if (kind === "close") depth--
    end = behind
  }
  return end
}

export const scriptOf = (text: string): Script => {
  const lineStarts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]
  const found = { tokens: [] as Token[], scopes: [] as Scope[], occurrences: [] as Occurrence[], definitions: [] as Definition[] }
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
    const tokens = tokensOf(source, base)
    const scopes = scopesOf(tokens, base + source.length)
    let inParameters = false
    tokens.forEach((token, i) => {
      if (token.text === "[") inParameters ||= tokens[i - 1]?.text === "{"
      if (token.text === "]") inParameters = false
      if (token.kind !== "name" || (CONTROL.test(token.text) && tokens[i + 1]?.text === "[")) return
      const { text: name, start, end } = token
      const way = assignment(tokens, i)
      const scope = way === "global" ? undefined : holder(scopeAt(scopes, start), name.split(".", 1)[0]!)
      const path = scope !== undefined ? name : name.startsWith(".") ? name : `${directory}.${name}`
      const occurrence = { name, start, end, scope, path, assigns: inParameters || way !== undefined }
      found.occurrences.push(occurrence)
      if (scope !== undefined || (way !== "plain" && way !== "global") || scopeAt(scopes, start) !== undefined) return
      const at = i + (way === "plain" ? 1 : 2)
      const value = tokens[at + 1]
      const lambda = value?.text === "{" ? scopes.find((each) => each.start === value.start) : undefined
      const to = expressionEnd(tokens, at)
      const isFunction = lambda !== undefined && lambda.end === to
      const isLiteral = value !== undefined && ["number", "string", "symbol"].includes(value.kind)
      found.definitions.push({ ...occurrence, to, parameters: isFunction ? lambda.parameters : undefined, isLiteral })
    })
    const end = base + source.length
    found.tokens.push(...tokens, { kind: "semicolon", text: "\n", start: end, end, afterNoun: false })
    found.scopes.push(...scopes)
  }
  return { text, ...found, loads }
}

/** The item whose text holds a place, its end included. */
export const at = <A extends { readonly start: number; readonly end: number }>(items: readonly A[], offset: number): A | undefined =>
  items.find(({ start, end }) => start <= offset && offset < end) ?? items.find(({ end }) => end === offset)

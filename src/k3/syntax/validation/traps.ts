/**
 * What bites newcomers: code that is K, and most likely not the K that was meant. Seen in the syntax tree; `glued.ts` sees tokens.
 *
 * A warning is given only where the other reading is hardly ever wanted; a hint where it may be. Does not: judge style.
 */
import { children, type LambdaNode, type Node } from "../ast.ts"
import { Char, Chars, Float, List } from "../../values/value.ts"
import type { Finding, Parsed } from "./Finding.ts"
import type { Names } from "./names.ts"

type Dyad = Node & { readonly kind: "dyad" }

const isDyad = (node: Node | undefined, verbs: string): node is Dyad =>
  node?.kind === "dyad" && node.f.kind === "verb" && node.f.verb.text.length === 1 && verbs.includes(node.f.verb.text)

const glyphOf = ({ f }: Dyad): string => (f.kind === "verb" ? f.verb.text : "")

const isNumber = (node: Node): boolean => node.kind === "literal" && (typeof node.value === "number" || node.value instanceof Float)

/** Is the right side of a verb written in parentheses? */
const opensAfter = (source: string, { f }: Dyad): boolean => /^\s*\(/.test(source.slice(f.span.end, f.span.end + 64))

const textOf = (source: string, { span }: Node): string => source.slice(span.start, span.end)

/** `2*3+4`, all of it numbers: nobody writes that who knows what it means. */
const precedence = (source: string, node: Dyad): Finding | undefined => {
  const { x, y, f } = node
  const inner = { "*": "+-%", "%": "+-*%", "-": "+-" }[glyphOf(node)]
  if (inner === undefined || !isDyad(y, inner) || !isNumber(x) || !isNumber(y.x) || !isNumber(y.y) || opensAfter(source, node))
    return undefined
  const [a, b, c] = [x, y.x, y.y].map((each) => textOf(source, each))
  return {
    severity: "hint",
    code: "right-to-left",
    message: `K has no precedence: this is ${a}${glyphOf(node)}(${b}${glyphOf(y)}${c})`,
    span: f.span,
    instead: `(${a}${glyphOf(node)}${b})${glyphOf(y)}${c} for the other`,
  }
}

/** `x>1&x<5` compares x with `1&x<5`. */
const comparison = (source: string, node: Dyad): Finding | undefined => {
  const { y, f } = node
  if (!isDyad(y, "&|") || !isDyad(y.y, "<>=") || opensAfter(source, node)) return undefined
  return {
    severity: "warning",
    code: "right-to-left",
    message: `${glyphOf(node)} takes all of its right side, ${glyphOf(y)} and what follows too`,
    span: f.span,
    instead: `parentheses around the left comparison, as in (x>1)${glyphOf(y)}x<5`,
  }
}

const isOneChar = (node: Node): boolean => node.kind === "literal" && node.value instanceof Char

const matchChar = (source: string, { x, y, f }: Dyad): Finding | undefined => {
  const one = [x, y].find(isOneChar)
  if (one === undefined) return undefined
  return {
    severity: "hint",
    code: "char-atom",
    message: `${textOf(source, one)} is a char, and matches no string`,
    span: f.span,
    instead: `,${textOf(source, one)} is the string of one char`,
  }
}

const mixedStrings = (node: Node & { readonly kind: "literal" }): Finding | undefined => {
  if (!(node.value instanceof List)) return undefined
  const { v } = node.value
  if (!v.some((x) => x instanceof Char) || !v.some((x) => x instanceof Chars)) return undefined
  return {
    severity: "hint",
    code: "char-atom",
    message: "a string of one char is a char: it is no string among these strings",
    span: node.span,
    instead: ',"a" for it',
  }
}

const FLOAT = "% always gives a float, and an int is needed here"
const TO_INT = "x _div y, or _ x%y"

const floatCount = (node: Node): Finding | undefined => {
  const count =
    isDyad(node, "#_") && isDyad(node.x, "%")
      ? node.x
      : node.kind === "control" && node.word === "do" && isDyad(node.args[0], "%")
        ? node.args[0]
        : undefined
  return count && { severity: "warning", code: "float-count", message: FLOAT, span: count.f.span, instead: TO_INT }
}

const floatIndex = (node: Node, names: Names): Finding | undefined => {
  const [of, place] = node.kind === "apply" ? [node.f, node.args[0]] : isDyad(node, "@") ? [node.x, node.y] : []
  if (of === undefined || !isDyad(place, "%")) return undefined
  const isList = of.kind === "literal" || of.kind === "list" || (of.kind === "name" && names.isVariable(of.name))
  return isList ? { severity: "warning", code: "float-count", message: FLOAT, span: place.f.span, instead: TO_INT } : undefined
}

/** The last statement is empty because of a newline before the brace. */
const brace = (source: string, { body, span }: LambdaNode): Finding | undefined => {
  if (body.length < 2 || body.at(-1) !== undefined) return undefined
  const at = span.end - 1
  const before = source.slice(Math.max(0, at - 2000), at)
  if (!/\n\s*(?:\/[^\n]*\n\s*)*$/.test(before)) return undefined
  const last = body.findLast((each) => each !== undefined)
  const forEffect = last?.kind === "control" || last?.kind === "assign" || last?.kind === "return"
  return {
    severity: forEffect ? "hint" : "warning",
    code: "brace-line",
    message: "a } on a line of its own ends in an empty statement: the function returns nil",
    span: { start: at, end: span.end },
    opened: span.start,
    instead: "} right behind the last expression",
  }
}

/** `a = 5;` as a statement of its own, or of a name that has no value yet. */
const discarded = (node: Node | undefined, last: boolean, names: Names): Finding | undefined => {
  if (!isDyad(node, "=") || node.x.kind !== "name") return undefined
  const { name, span } = node.x
  const known = names.isKnown(name)
  if (last && known) return undefined
  return {
    severity: "warning",
    code: "equals-assign",
    message: known ? "= compares, and nothing is done with the result" : `= compares, and ${name} has no value yet`,
    span: known ? node.f.span : span,
    instead: `${name}: assigns`,
  }
}

const wordOf: Readonly<Record<string, (source: string, node: Dyad) => Finding | undefined>> = {
  "*": precedence,
  "%": precedence,
  "-": precedence,
  "<": comparison,
  ">": comparison,
  "=": comparison,
  "~": matchChar,
}

const look = (source: string, node: Node, names: Names): Finding | undefined => {
  switch (node.kind) {
    case "dyad":
      return wordOf[glyphOf(node)]?.(source, node) ?? floatCount(node) ?? floatIndex(node, names)
    case "control":
      return floatCount(node)
    case "literal":
      return mixedStrings(node)
    case "apply":
      return floatIndex(node, names)
    case "lambda":
      return brace(source, node)
    default:
      return undefined
  }
}

/** The traps of one statement, whose names are those that `names` knows by now. */
export const traps = ({ source, tree }: Parsed, names: Names): readonly Finding[] => {
  const findings: Finding[] = []
  const add = (finding: Finding | undefined): void => void (finding && findings.push(finding))
  const body = (items: readonly (Node | undefined)[], inFunction: boolean): void => {
    items.forEach((node, i) => {
      const last = i === items.length - 1
      if (!(inFunction && last)) add(discarded(node, last, names))
      visit(node)
    })
  }
  const visit = (node: Node | undefined): void => {
    if (node === undefined) return
    add(look(source, node, names))
    if (node.kind === "lambda") body(node.body, true)
    else for (const child of children(node)) visit(child)
  }
  body(tree.statements, false)
  return findings
}

/**
 * Finds valid K that newcomers write by mistake, in the syntax tree. `glued.ts` finds it in the tokens.
 *
 * Guarantees: a finding is a warning when the code is almost certainly a mistake, and a hint when it may be meant. Does not: judge style.
 */
import type { LambdaNode, Node } from "../ast.ts"
import { Char, count } from "../../values/value.ts"
import { type DyadNode, glyphOf, isComparison, isNumber, misreadOf, opensAfter, rowOf, textOf } from "./dyads.ts"
import type { Finding, Parsed } from "./Finding.ts"
import { habitOf } from "./habits.ts"
import { type Names, type LocalNames, scopedNodes } from "./names.ts"

/** The dyad on the right of a verb, which K evaluates first and other languages evaluate last: `3+4` in `2*3+4`, `1&x<5` in `x>1&x<5`. */
const doneFirst = (source: string, node: DyadNode, among: "numbers" | "comparisons"): DyadNode | undefined => {
  const { order } = misreadOf(node)
  const { y } = node
  const isFirst = order?.among === among && y.kind === "dyad" && glyphOf(y) !== "" && order.after.includes(glyphOf(y))
  return isFirst && !opensAfter(source, node) ? y : undefined
}

const precedence = (source: string, node: DyadNode): Finding | undefined => {
  const { x, f } = node
  const y = doneFirst(source, node, "numbers")
  if (y === undefined || !isNumber(x) || !isNumber(y.x) || !isNumber(y.y)) return undefined
  const [a, b, c] = [x, y.x, y.y].map((each) => textOf(source, each))
  return {
    severity: "hint",
    code: "right-to-left",
    message: `K has no precedence: this is ${a}${glyphOf(node)}(${b}${glyphOf(y)}${c})`,
    span: f.span,
    instead: `(${a}${glyphOf(node)}${b})${glyphOf(y)}${c} for the other`,
  }
}

const comparison = (source: string, node: DyadNode): Finding | undefined => {
  const y = doneFirst(source, node, "comparisons")
  if (y === undefined || !isComparison(y.y)) return undefined
  return {
    severity: "warning",
    code: "right-to-left",
    message: `${glyphOf(node)} takes all of its right side, ${glyphOf(y)} and what follows too`,
    span: node.f.span,
    instead: `parentheses around the left comparison, as in (x>1)${glyphOf(y)}x<5`,
  }
}

const isOneChar = (node: Node): boolean => node.kind === "literal" && node.value instanceof Char

/** `*s`, `s[i]`: of a string, a char. */
const isItem = (source: string, node: Node, names: Names): boolean =>
  node.kind === "monad"
    ? textOf(source, node.f) === "*"
    : node.kind === "apply" && node.bracket && node.f.kind === "name" && names.holdsFunction(node.f.name) !== true

const matchChar = (source: string, node: DyadNode, names: Names): Finding | undefined => {
  const { x, y, f } = node
  const one = misreadOf(node).chars === true ? [x, y].find(isOneChar) : undefined
  if (one === undefined || isItem(source, one === x ? y : x, names)) return undefined
  return {
    severity: "hint",
    code: "char-atom",
    message: `${textOf(source, one)} is a char, and matches no string`,
    span: f.span,
    instead: `,${textOf(source, one)} is the string of one char`,
  }
}

/** The finding for a node that must give an int and is a dyad that always gives a float. */
const givesFloat = (node: Node | undefined): Finding | undefined => {
  const { float } = misreadOf(node)
  if (node?.kind !== "dyad" || float === undefined) return undefined
  const message = `${glyphOf(node)} always gives a float, and an int is needed here`
  return { severity: "warning", code: "float-count", message, span: node.f.span, instead: float }
}

const floatCount = (node: Node): Finding | undefined => {
  if (node.kind === "dyad" && misreadOf(node).counts === true) return givesFloat(node.x)
  return node.kind === "loop" && node.word === "do" ? givesFloat(node.condition) : undefined
}

const floatIndex = (node: Node, names: Names): Finding | undefined => {
  const isApplied = node.kind === "dyad" && rowOf(node)?.role === "apply"
  const [of, place] = node.kind === "apply" ? [node.f, node.args[0]] : isApplied ? [node.x, node.y] : []
  const isList = of?.kind === "literal" || of?.kind === "list" || (of?.kind === "name" && names.holdsFunction(of.name) === false)
  return isList ? givesFloat(place) : undefined
}

/** `r:f(3;4)`: the function is given one argument, a list. */
const oneList = (source: string, node: Node, names: Names, scope: LocalNames | undefined): Finding | undefined => {
  if (node.kind !== "apply" || node.bracket || node.f.kind !== "name") return undefined
  const [list] = node.args
  const n = list?.kind === "list" ? list.items.length : list?.kind === "literal" && textOf(source, list)[0] === "(" ? count(list.value) : 1
  if (n < 2 || names.parameters(node.f.name, scope) !== n) return undefined
  const { name, span } = node.f
  const message = `${name} takes ${n} arguments, and is given one, a list: this is a projection`
  return { severity: "warning", code: "one-list", message, span, instead: `${name}[…;…], or ${name} . (…;…)` }
}

/** A function whose last statement is empty, because a newline stands before its closing brace. */
const brace = (source: string, { body, span }: LambdaNode): Finding | undefined => {
  if (body.length < 2 || body.at(-1) !== undefined) return undefined
  const at = span.end - 1
  const before = source.slice(Math.max(0, at - 2000), at)
  if (!/\n\s*(?:\/[^\n]*\n\s*)*$/.test(before)) return undefined
  const last = body.findLast((each) => each !== undefined)
  const forEffect = last?.kind === "cond" || last?.kind === "loop" || last?.kind === "assign" || last?.kind === "return"
  return {
    severity: forEffect ? "hint" : "warning",
    code: "brace-line",
    message: "a } on a line of its own ends in an empty statement: the function returns nil",
    span: { start: at, end: span.end },
    opened: span.start,
    instead: "} right behind the last expression",
  }
}

/** A comparison that was meant as an assignment: `a = 5;` as a statement whose result is unused, or of a name without a value. */
const discarded = (source: string, node: Node | undefined, last: boolean, names: Names): Finding | undefined => {
  if (node?.kind !== "dyad" || misreadOf(node).assigns !== true || node.x.kind !== "name") return undefined
  const { name, span } = node.x
  const known = names.isKnown(name)
  if (last && known) return spacedEquals(source, node)
  return {
    severity: "warning",
    code: "equals-assign",
    message: known ? "= compares, and nothing is done with the result" : `= compares, and ${name} has no value yet`,
    span: known ? node.f.span : span,
    instead: `${name}: assigns`,
  }
}

/** `x = 5` written as other languages assign: with blanks, as a whole statement. */
const spacedEquals = (source: string, { x, f, y }: DyadNode): Finding | undefined => {
  const isSpaced = /^\s/.test(source.slice(f.span.end)) && /\s$/.test(source.slice(0, f.span.start))
  if (!isSpaced || x.kind !== "name" || x.span.start > source.search(/\S/) || y.kind === "dyad") return undefined
  return {
    severity: "hint",
    code: "equals-assign",
    message: `= compares ${x.name} with the right side`,
    span: f.span,
    instead: `${x.name}: to assign`,
  }
}

/** The conditions of a control word or a conditional. */
const conditionsOf = (node: Node): readonly Node[] =>
  node.kind === "cond"
    ? node.branches.map(({ condition }) => condition)
    : node.kind === "loop" && node.word !== "do"
      ? [node.condition]
      : []

/** `if[a&&b;c]`: the `&` of one argument always gives a list. Elsewhere that may be meant. */
const listCondition = (source: string, node: Node): Finding | undefined => {
  if (node.kind !== "dyad" || node.y.kind !== "monad" || node.y.f.kind !== "verb") return undefined
  const { start } = node.f.span
  const end = start + 2
  if (source.slice(start, end) !== "&&") return undefined
  const message = "&& is two verbs, a&(&b): a list, and no condition"
  return { severity: "warning", code: "glued-verbs", message, span: { start, end }, instead: "a&b" }
}

/** The sides of a verb to which a char is the same as the string of that char. */
const besideText = (source: string, node: Node): readonly Node[] =>
  (node.kind === "monad" || node.kind === "dyad") && /^(?:\$:?|0:|,\/)$/.test(textOf(source, node.f))
    ? [node.x, ...(node.kind === "dyad" ? [node.y] : [])]
    : []

const trapOf = (source: string, node: Node, names: Names, scope: LocalNames | undefined): Finding | undefined =>
  (node.kind === "dyad" ? (precedence(source, node) ?? comparison(source, node) ?? matchChar(source, node, names)) : undefined) ??
  (node.kind === "lambda" ? brace(source, node) : undefined) ??
  floatCount(node) ??
  floatIndex(node, names) ??
  oneList(source, node, names, scope)

/** The traps in the tree of one statement. `names` knows the names assigned so far. */
export const traps = ({ source, tree }: Parsed, names: Names): readonly Finding[] => {
  const last = tree.statements.length - 1
  const ofStatements = tree.statements.map((node, i) => discarded(source, node, i === last, names))
  // The last statement of a function is its result.
  const ofBody = (node: Node): readonly (Finding | undefined)[] =>
    node.kind === "lambda" ? node.body.slice(0, -1).map((each) => discarded(source, each, false, names)) : []
  const nodes = [...scopedNodes(tree.statements)]
  const texts = new Set(nodes.flatMap(([node]) => besideText(source, node)))
  const ofNodes = Array.from(nodes, ([node, scope]) => [
    trapOf(source, node, names, scope) ?? (texts.has(node) ? undefined : habitOf(node, source)),
    ...ofBody(node),
    ...conditionsOf(node).map((each) => listCondition(source, each)),
  ])
  return [...ofStatements, ...ofNodes.flat()].filter((finding) => finding !== undefined)
}

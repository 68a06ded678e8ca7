/**
 * Finds, in the syntax tree, what other languages write and K reads as something else: a table. Most of it runs, and gives a wrong value silently.
 *
 * Guarantees: a finding is a warning when the code is almost certainly a mistake, and a hint when it may be meant. Does not: find what needs
 * the types of variables.
 */
import type { Node, NodeOf } from "../ast.ts"
import { Char, Chars, List } from "../../values/value.ts"
import { conditional, type Finding, type Severity } from "./Finding.ts"
import { glyphOf, isComparison, isNumber, opensAfter, textOf } from "./dyads.ts"

interface Habit {
  readonly kind: Node["kind"]
  readonly is: (node: Node, source: string) => boolean
  readonly severity: Severity
  /** Shared by habits with one meaning. */
  readonly code: string
  readonly message: string
  readonly instead: string
}

const habit = <Kind extends Node["kind"]>(
  kind: Kind,
  is: (node: NodeOf<Kind>, source: string) => boolean,
  ...[severity, code, message, instead]: readonly [Severity, string, string, string]
): Habit => ({ kind, is: is as Habit["is"], severity, code, message, instead })

/** `a>2`, and `(a>2)&a<5`: where the items of `name` are compared. */
const isMaskOf = (name: string, node: Node | undefined): boolean => {
  let last = node
  while (last?.kind === "dyad" && /^[&|]$/.test(glyphOf(last)) && isMaskOf(name, last.x)) last = last.y
  return last?.kind === "dyad" && isComparison(last) && [last.x, last.y].some((each) => each.kind === "name" && each.name === name)
}

/** `("I";",")`: a literal that is a list of chars. */
const isCharList = (text: string): boolean => text.startsWith('("') && text.startsWith('";', 3)

const isVector = (node: Node): boolean => node.kind === "literal" && typeof node.value !== "number" && [-1, -2, -4].includes(node.value.t)

const mask = [
  "warning",
  "mask",
  "a comparison gives 0 and 1, and these are taken as places",
  "x[&x>2]: & gives the places of the ones",
] as const

const rows: readonly Habit[] = [
  habit(
    "dyad",
    (node, source) => glyphOf(node) === "," && node.y.kind === "assign" && /^\s/.test(source.slice(node.f.span.end)),
    "warning",
    "comma-parts",
    "a comma joins values: what follows is no statement of its own",
    "; between statements",
  ),
  habit(
    "apply",
    ({ bracket, args: [first, ...others] }) =>
      bracket && others.length === 0 && first?.kind === "dyad" && glyphOf(first) === "," && isNumber(first.x) && isNumber(first.y),
    "warning",
    "comma-parts",
    "a comma joins values: this is one index or argument",
    "; between indices or arguments",
  ),
  habit(
    "apply",
    // x[:2], x[1:], x[1:2]
    ({ f, args }, source) =>
      f.kind === "name" &&
      args.some((each) => each?.kind === "return" || (each !== undefined && /^\d:\s*[-\d\];]/.test(source.slice(each.span.start)))),
    "warning",
    "slice",
    "a colon here cuts no part out of a list",
    "2#x for the first two items, 2 _ x for the others",
  ),
  habit("apply", ({ f, args }) => f.kind === "name" && args.length === 1 && isMaskOf(f.name, args[0]), ...mask),
  habit("assign", ({ name, path }) => path?.length === 1 && isMaskOf(name, path[0]), ...mask),
  habit(
    "dyad",
    // The first _ of the number: 1_000_000 is told once. From several numbers, as in 1_100 200, it drops.
    (node, source) =>
      glyphOf(node) === "_" &&
      !isVector(node.y) &&
      /(?:^|\W)\d+_\d{3}$/.test(source.slice(Math.max(0, node.f.span.start - 12), node.f.span.end + 3)),
    "warning",
    "digit-groups",
    "_ is the verb drop, and groups no digits",
    "1000000 without it",
  ),
  habit(
    "dyad",
    ({ f, x }, source) => textOf(source, f) === "$" && /^(?:"[A-Z]"|`[A-Za-z]\w*)$/.test(textOf(source, x)),
    "warning",
    "type-name",
    "$ reads text by a sample, not by the name of a type",
    '0$"12", 0.0$"1.5" or `$"a"',
  ),
  habit(
    "dyad",
    (node, source) => glyphOf(node) === "!" && textOf(source, node.x) === "0N",
    "warning",
    "null-prints",
    "0N! is mod or rotation, and prints nothing",
    '`0:(5:x),"\\n" to print x',
  ),
  habit(
    "dyad",
    (node, source) => glyphOf(node) === "0:" && node.x.kind === "literal" && isCharList(textOf(source, node.x)),
    "warning",
    "one-field",
    "two chars make a string: this writes a file of that name",
    '(,"I";",")0:f for one field',
  ),
  habit(
    "dyad",
    (node, source) => /^[<>]{2}$/.test(glyphOf(node) + glyphOf(node.y)) && !opensAfter(source, node),
    "warning",
    "chain",
    "this compares with the 0 or 1 of the comparison on the right",
    "(1<x)&x<3",
  ),
  habit(
    "dyad",
    (node) => glyphOf(node) === "_in" && isVector(node.x) && isVector(node.y),
    "warning",
    "whole-in",
    "_in looks for all of x as one item",
    "x _lin y for each item of x",
  ),
  habit(
    "loop",
    ({ word, body }) => word === "if" && body.some((each) => each?.kind === "literal" || each?.kind === "name"),
    "warning",
    "control-value",
    "if gives nil, and does nothing with a value",
    ":[c;t;f] for a value",
  ),
  habit(
    "assign",
    ({ value, verb }) => verb === undefined && value?.kind === "loop" && value.word === "if",
    "warning",
    "control-value",
    "if gives nil",
    ":[c;t;f] for a value",
  ),
  habit(
    "assign",
    ({ value, verb }) => verb === undefined && value?.kind === "loop" && value.word !== "if",
    "warning",
    "control-value",
    "a loop gives nil",
    "the assignment inside of it",
  ),
  habit(
    "apply",
    ({ f, bracket, args }, source) => bracket && args.length > 2 && f.kind === "verb" && textOf(source, f) === "$",
    "warning",
    "dollar-cond",
    "$ formats, and chooses nothing",
    conditional,
  ),
  habit(
    "dyad",
    // Without the blanks around the colon it may be meant.
    (node, source) =>
      textOf(source, node.f) === "?" &&
      node.y.kind === "assign" &&
      node.y.verb === undefined &&
      !opensAfter(source, node) &&
      /\s:\s$/.test(source.slice(node.y.span.start, node.y.span.end + 1)),
    "hint",
    "question-cond",
    "? finds, and chooses nothing",
    conditional,
  ),
  habit(
    "literal",
    ({ value }) => value instanceof List && value.v.some((each) => each instanceof Char) && value.v.some((each) => each instanceof Chars),
    "hint",
    "char-atom",
    "a string of one char is a char: it is no string among these strings",
    ',"a" for it',
  ),
]

const spanOf = (node: Node): Finding["span"] =>
  "f" in node ? node.f.span : node.kind === "assign" && node.path === undefined ? node.value!.span : node.span

/** The habit that a node shows. */
export const habitOf = (node: Node, source: string): Finding | undefined => {
  const found = rows.find(({ kind, is }) => kind === node.kind && is(node, source))
  return found && { severity: found.severity, code: found.code, message: found.message, instead: found.instead, span: spanOf(node) }
}

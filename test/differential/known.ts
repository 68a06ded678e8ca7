/**
 * The rows of docs/differences.md: values on which Kona and K3CSharp agree, and this interpreter has another. Each has a pattern of the programs
 * that it covers.
 *
 * A row's example is run by the suite, and by both others where they are there. Does not: excuse a difference that its pattern does not describe.
 */
import type { Answer } from "./engines.ts"
import { alike, type Printed } from "./printed.ts"

export interface Disagreement {
  readonly code: string
  readonly ours: Answer
  readonly theirs: Printed
}

interface Known {
  readonly id: string
  /** Statements, each a line. */
  readonly example: string
  /** The output of the last statement here, an error by its name; and the output of both others, in Kona's layout. */
  readonly here: string
  readonly there: string
  readonly why: string
  readonly covers: (found: Disagreement) => boolean
}

const refused = ({ ours }: Disagreement, ...kinds: readonly string[]): boolean =>
  ours.kind === "error" && kinds.some((kind) => ours.text.startsWith(`${kind} error`))

/** Are two values of one shape, and the same but for items of which a rule says that they may differ? */
const alikeBut = (x: Printed, y: Printed, mayDiffer: (x: Printed, y: Printed) => boolean): boolean => {
  if (alike(x, y) || mayDiffer(x, y)) return true
  if (x.kind === "dictionary" && y.kind === "dictionary") return alikeBut(x.entries, y.entries, mayDiffer)
  if (x.kind !== "list" || y.kind !== "list") return false
  return x.items.length === y.items.length && x.items.every((item, i) => alikeBut(item, y.items[i]!, mayDiffer))
}

/** The values differ, and only in such items. */
const differs = ({ ours, theirs }: Disagreement, mayDiffer: (x: Printed, y: Printed) => boolean): boolean =>
  ours.kind === "value" && alikeBut(ours.value, theirs, mayDiffer)

const isNumber = (x: Printed): boolean => x.kind === "int" || x.kind === "float"

const isNan = (x: Printed): boolean => x.kind === "float" && Number.isNaN(x.v)

/** Strings of one length, or chars. */
const areTexts = (x: Printed, y: Printed): boolean =>
  x.kind === "list" && y.kind === "list"
    ? x.items.length === y.items.length && [...x.items, ...y.items].every(({ kind }) => kind === "char")
    : x.kind === "char" && y.kind === "char"

/** A list of one item where the other has the item. */
const isOnly = (x: Printed, y: Printed): boolean => x.kind === "list" && x.items.length === 1 && alikeBut(x.items[0]!, y, isOnly)

/** An empty value as it is written. */
const EMPTY = /!0|0#|\(\)|""|&0|&\(0\)|\(!0\)/

export const known: readonly Known[] = [
  {
    id: "divide",
    example: "4 8%2",
    here: "2 4.0",
    there: "2 4",
    why: "`%` always gives floats, as Kx prints it; Kona divides ints, K3CSharp gives ints where each quotient is one",
    covers: (found) =>
      found.code.includes("%") && (differs(found, (x, y) => x.kind === "float" && y.kind === "int") || refused(found, "int", "type")),
  },
  {
    id: "null-max",
    example: "1.5|0n",
    here: "1.5",
    there: "0n",
    why: "0n is below every other float on either side, so that `x|y` is `y|x`; Kona gives y where neither is more, so that `0n|1.5` is 1.5 there too",
    covers: (found) => /[|&]/.test(found.code) && differs(found, (x, y) => x.kind === "float" && isNan(y)),
  },
  {
    id: "int-width",
    example: "!/2147483646 -0I 6 9",
    here: "5",
    there: "0",
    why: "ints have 32 bits and wrap, 0N and 0I among them; Kona's have 64, K3CSharp's remainder has the sign of the left",
    covers: (found) => /(?<![\d.])-?(?:0[NI]|\d{9,})(?![\d.e])/.test(found.code) && differs(found, (x, y) => isNumber(x) && isNumber(y)),
  },
  {
    id: "two-points",
    example: "3.5.25",
    here: "parse",
    there: "3.5 0.25",
    why: "a number has one point: the second is a slip, such as a version or an address; the others begin a second number with it",
    covers: (found) => /\d\.\d*\.\d/.test(found.code) && refused(found, "parse"),
  },
  {
    id: "count-of-float",
    example: "!2^-1",
    here: "int",
    there: "!0",
    why: "`^` always gives floats and `!` counts with ints; K3CSharp's power of ints is an int, Kona counts with floats",
    covers: (found) => found.code.includes("^") && refused(found, "int"),
  },
  {
    id: "power-of-zero",
    example: "= (!3) ^ (-0.25 0.0 0i)",
    here: "(0 2\n ,1)",
    there: "(,0\n ,1\n ,2)",
    why: "0 to a negative power is 0i, which is there twice; Kona has 0.0 for it, K3CSharp takes the items for different ones",
    covers: ({ code }) => /[=?]\s*\([^;]*\)\s*\^.*-/.test(code),
  },
  {
    id: "return-in-if",
    example: "f:{if[1;:_dj 15];2}\nf[0]",
    here: "20350116",
    there: "2",
    why: "`:x` returns from the function wherever it stands; Kona reads no return before a system name, K3CSharp none in `if`",
    covers: ({ code }) => /if\[[^;]*;:/.test(code),
  },
  {
    id: "one-item",
    example: "{,x}[+\\(,3)]",
    here: ",,3",
    there: ",3",
    why: "a list of one item stays one; Kona's scan makes the item of it, K3CSharp a call",
    covers: (found) => /[\\{]/.test(found.code) && differs(found, isOnly),
  },
  {
    id: "one-item-is-a-list",
    example: "{@x}[+\\(,3)]",
    here: "0",
    there: "1",
    why: "the same, seen by `@x`: a list of one item is no atom",
    covers: (found) =>
      /@/.test(found.code) &&
      /[\\{]/.test(found.code) &&
      differs(found, (x, y) => x.kind === "int" && x.v === 0 && y.kind === "int" && y.v === 1),
  },
  {
    id: "only-entry",
    example: "((.,(`a;0#`))[]) ,/ (0 0N 0N)",
    here: "(0#`;0;0N;0N)",
    there: "0 0N 0N",
    why: "all items of a dictionary of one entry are a list of one item; Kona gives the item, K3CSharp nothing where it stands in parentheses",
    covers: ({ code }) => /\.,\(`\w+;.*\)\)\[\]/.test(code),
  },
  {
    id: "retyped",
    example: "3 _ (@[,8;0;*;9.25])",
    here: "0#0.0",
    there: "()",
    why: "an amended vector whose items are all floats now is a vector of floats, of one item too, and so is what is left of it",
    covers: ({ code, ours, theirs }) =>
      /[@.]\[|\]\W?:/.test(code) && ours.kind === "value" && [ours.value, theirs].every((x) => x.kind === "list" && x.items.length === 0),
  },
  {
    id: "nothing-to-do",
    example: "@[4 5;!0;+;`a`b]",
    here: "length",
    there: "4 5",
    why: "amendments and arithmetic check types and lengths where there is no item too: what is wrong shows before the first item comes; verbs that go item by item, such as `_vs` and `_ss`, check each item",
    covers: (found) => EMPTY.test(found.code) && refused(found, "type", "length", "valence", "int"),
  },
  {
    id: "items-and-places",
    example: "& (@[0 1;,0;:;0 7])",
    here: "length",
    there: ",1",
    why: "there are as many items as places; given more, Kona leaves the list as it was, K3CSharp puts all of them in the one place",
    covers: (found) => refused(found, "length") && found.ours.text.includes("places and"),
  },
  {
    id: "path-too-long",
    example: "(1 2 3) . 2 2 1",
    here: "rank",
    there: "3 3 2",
    why: "`.` goes one level down for each item of the path, and an int has none; the others take the path of a vector for indices",
    covers: (found) => /[\d)\w] \. /.test(found.code) && refused(found, "rank"),
  },
  {
    id: "decimals",
    example: "1.0000000000001$2",
    here: ',"*"',
    there: ',"2"',
    why: "the decimals of a width are the digits behind its point, thirteen here; the others take such a width for 1",
    covers: (found) => /\.0{6,}\d+\)?\s*\$/.test(found.code) && differs(found, areTexts),
  },
  {
    id: "half",
    example: "2.0$2.5",
    here: '" 3"',
    there: '" 2"',
    why: "a half is rounded away from 0, as Kx on Windows does; the others round it to the even digit",
    covers: (found) => found.code.includes("$") && /\.\d*5/.test(found.code) && differs(found, areTexts),
  },
  {
    id: "unordered",
    example: '"hello" _binl "h"',
    here: "2",
    there: "0",
    why: "a binary search in items that do not ascend finds where it happens to look",
    covers: (found) => found.code.includes("_bin") && differs(found, (x, y) => x.kind === "int" && y.kind === "int"),
  },
  {
    id: "negative-shape",
    example: '-5 -3#"b"',
    here: "domain",
    there: "()",
    why: "a dimension is not negative, but for one -1 that is computed",
    covers: (found) => refused(found, "domain") && found.ours.text.includes("a dimension is not negative"),
  },
  {
    id: "digits-of-null",
    example: "1 2 3 _vs 0N",
    here: "0 1 1",
    there: "0 0 2",
    why: "0N is the int -2147483648, whose digits in these bases are 0 1 1; Kona's has 64 bits",
    covers: (found) => /_vs.*0N/.test(found.code) && differs(found, (x, y) => x.kind === "int" && y.kind === "int"),
  },
]

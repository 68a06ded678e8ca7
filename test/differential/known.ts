/**
 * Where Kona and K3CSharp agree on a value and this interpreter has another: the rows of docs/differences.md, each with what it covers.
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
  /** What the last of them prints here, an error by its name; and what both others print, as Kona lays it out. */
  readonly here: string
  readonly there: string
  readonly why: string
  readonly covers: (found: Disagreement) => boolean
}

const refused = ({ ours }: Disagreement, ...kinds: readonly string[]): boolean =>
  ours.kind === "error" && kinds.some((kind) => ours.text.startsWith(`${kind} error`))

/** The same but for places where the other has 0n. */
const alikeBeside0n = (x: Printed, y: Printed): boolean =>
  y.kind === "list" && x.kind === "list"
    ? x.items.length === y.items.length && x.items.every((item, i) => alikeBeside0n(item, y.items[i]!))
    : alike(x, y) || (y.kind === "float" && Number.isNaN(y.v))

/** The same but for floats where the other has ints. */
const alikeBesideInts = (x: Printed, y: Printed): boolean =>
  y.kind === "list" && x.kind === "list"
    ? x.items.length === y.items.length && x.items.every((item, i) => alikeBesideInts(item, y.items[i]!))
    : alike(x, y) || (x.kind === "float" && y.kind === "int")

/** The same but for lists of one item where the other has the item. */
const alikeBesideOnes = (x: Printed, y: Printed): boolean =>
  alike(x, y) ||
  (x.kind === "list" &&
    ((x.items.length === 1 && alikeBesideOnes(x.items[0]!, y)) ||
      (y.kind === "list" && x.items.length === y.items.length && x.items.every((item, i) => alikeBesideOnes(item, y.items[i]!)))))

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
      found.code.includes("%") &&
      (found.ours.kind === "value" ? alikeBesideInts(found.ours.value, found.theirs) : refused(found, "int", "type", "index", "domain")),
  },
  {
    id: "null-max",
    example: "1.5|0n",
    here: "1.5",
    there: "0n",
    why: "0n is below every other float on either side, so that `x|y` is `y|x`; Kona gives y where neither is more, so that `0n|1.5` is 1.5 there too",
    covers: ({ code, ours, theirs }) => /[|&]/.test(code) && ours.kind === "value" && alikeBeside0n(ours.value, theirs),
  },
  {
    id: "int-width",
    example: "!/2147483646 -0I 6 9",
    here: "5",
    there: "0",
    why: "ints have 32 bits and wrap, 0N and 0I among them; Kona's have 64, K3CSharp's remainder has the sign of the left",
    covers: ({ code }) => /(?<![\d.])-?(?:0[NI]|\d{9,})(?![\d.e])/.test(code),
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
    covers: ({ code, ours, theirs }) => /[\\{]/.test(code) && ours.kind === "value" && alikeBesideOnes(ours.value, theirs),
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
    id: "nearly-equal",
    example: "0.9999999999999=1.0",
    here: "0",
    there: "1",
    why: "equal is a relative difference of 1e-13 or less; this one is 1.0003e-13. Kona counts units in the last place, a little further",
    covers: ({ code }) => /0\.9{13}\b/.test(code),
  },
  {
    id: "nearly-the-same",
    example: "?1.0 1.00000000000001",
    here: ",1.0",
    there: "1 1.00000000000001",
    why: "items are one when they match, and `~` tolerates a relative 1e-13; the others tell floats of one vector apart exactly, Kona not those of two",
    covers: ({ code }) => /[?=]/.test(code) && /\.0{10,}1|\.9{10,}/.test(code),
  },
  {
    id: "nothing-to-do",
    example: "@[4 5;!0;+;`a`b]",
    here: "length",
    there: "4 5",
    why: "types and lengths are checked where there is no item too: what is wrong shows before the first item comes",
    covers: (found) => EMPTY.test(found.code) && refused(found, "type", "length", "valence", "int"),
  },
  {
    id: "path-too-long",
    example: "(1 2 3) . 2 2 1",
    here: "rank",
    there: "3 3 2",
    why: "`.` goes one level down for each item of the path, and an int has none; the others take the path of a vector for indices",
    covers: (found) => found.code.includes(". ") && refused(found, "rank"),
  },
  {
    id: "decimals",
    example: "1.0000000000001$2",
    here: ',"*"',
    there: ',"2"',
    why: "the decimals of a width are the digits behind its point, thirteen here; the others take such a width for 1",
    covers: ({ code }) => /\.0{6,}\d+\)?\s*\$/.test(code),
  },
  {
    id: "half",
    example: "2.0$2.5",
    here: '" 3"',
    there: '" 2"',
    why: "a half is rounded away from 0, as Kx on Windows does; the others round it to the even digit",
    covers: ({ code }) => code.includes("$"),
  },
  {
    id: "unordered",
    example: '"hello" _binl "h"',
    here: "2",
    there: "0",
    why: "a binary search in items that do not ascend finds where it happens to look",
    covers: ({ code }) => code.includes("_bin"),
  },
  {
    id: "negative-shape",
    example: '-5 -3#"b"',
    here: "domain",
    there: "()",
    why: "a dimension is not negative, but for one -1 that is computed",
    covers: (found) => found.code.includes("#") && refused(found, "domain"),
  },
  {
    id: "digits-of-null",
    example: "1 2 3 _vs 0N",
    here: "0 1 1",
    there: "0 0 2",
    why: "0N is the int -2147483648, whose digits in these bases are 0 1 1; Kona's has 64 bits",
    covers: ({ code }) => code.includes("_vs"),
  },
]

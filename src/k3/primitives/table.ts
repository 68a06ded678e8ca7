/**
 * The rows of the glyph verbs, with one argument and with two, and all facts about them.
 *
 * Guarantees: every example is run as a test. Help is made from these rows.
 */
import { applyDot, call1 } from "../run/apply.ts"
import { count, Func, isAtom } from "../values/value.ts"
import { divide, floor, max, min, minus, mod, negate, plus, power, reciprocal, times } from "./arithmetic.ts"
import { group, unique } from "./classes.ts"
import { equal, less, more, not } from "./compare.ts"
import { formatDyad, formatMonad } from "./dollar.ts"
import { enumerate } from "./enumerate.ts"
import { execute } from "./execute.ts"
import { betweenNeighbours, finding, folding, itemwise } from "./fastPaths.ts"
import { gradeDown, gradeUp } from "./grade.ts"
import { inverse } from "./inverse.ts"
import { join, joins } from "./join.ts"
import { match } from "../values/match.ts"
import type { VerbRow } from "./Row.ts"
import { find } from "./search.ts"
import { enlist, first, flip, reverse, rotate, shape } from "./structure.ts"
import { drop, take } from "./take.ts"
import { where } from "./where.ts"

// prettier-ignore
export const verbs: readonly VerbRow[] = [
  { glyph: "+", valence: 1, name: "flip", class: "list", run: flip,
    doc: "Columns of a list of rows; atoms among the rows are extended, anything that holds no list is itself.",
    words: "transpose zip columns",
    examples: [["+(1 2;3 4)", "(1 3\n 2 4)"], ["+(1 2 3;`a)", "((1;`a)\n (2;`a)\n (3;`a))"], ["+1 2 3", "1 2 3"]] },
  { glyph: "+", valence: 2, name: "plus", class: "atomic", run: plus, fresh: true,
    identity: [0, 0], int: { code: (x, y) => `(${x}+${y})|0` },
    fast: { ...folding({ ints: "(s + a) | 0", floats: "s + a", lanes: "plus", widensStart: true }), ...itemwise(plus) },
    doc: "Sum; ints wrap at 32 bits, a float on either side makes floats.",
    words: "add addition sum",
    examples: [["1+2", "3"], ["1 2 3+0.5", "1.5 2.5 3.5"], ["2147483647+1", "0N"]] },

  { glyph: "-", valence: 1, name: "negate", class: "atomic", run: negate, fresh: true, int: (x) => `-${x}|0`,
    doc: "Each number with its sign changed.",
    words: "negative minus sign",
    examples: [["- 5", "-5"], ["-(1 2;3.5)", "(-1 -2\n -3.5)"]] },
  { glyph: "-", valence: 2, name: "minus", class: "atomic", run: minus, fresh: true, int: { code: (x, y) => `(${x}-${y})|0` },
    fast: { ...folding({ ints: "(s - a) | 0", floats: "s - a" }), ...itemwise(minus) },
    misread: { order: { after: "+-", among: "numbers" } },
    doc: "Difference; ints wrap at 32 bits.",
    words: "subtract subtraction difference",
    examples: [["5-3", "2"], ["10-1 2 3", "9 8 7"]] },

  { glyph: "*", valence: 1, name: "first", class: "list", run: first,
    doc: "The first item; of an empty vector its type's zero, blank or empty symbol, of () nil; an atom is itself.",
    words: "head car",
    examples: [["*3 4 5", "3"], ["*!0", "0"], ["*`abc", "`abc"]] },
  { glyph: "*", valence: 2, name: "times", class: "atomic", run: times, fresh: true,
    identity: [1, 1], int: { code: (x, y) => `Math.imul(${x},${y})` },
    fast: { ...folding({ ints: "Math.imul(s, a)", floats: "s * a" }), ...itemwise(times) },
    misread: { order: { after: "+-%", among: "numbers" } },
    doc: "Product; ints wrap at 32 bits.",
    words: "multiply multiplication product",
    examples: [["4*6", "24"], ["2 3 4*3 4 5", "6 12 20"]] },

  { glyph: "%", valence: 1, name: "reciprocal", class: "atomic", run: reciprocal, fresh: true,
    doc: "1 divided by each number, always float.",
    words: "inverse one over",
    examples: [["%4", "0.25"], ["%0", "0i"]] },
  { glyph: "%", valence: 2, name: "divide", class: "atomic", run: divide, fresh: true, fast: itemwise(divide),
    misread: { order: { after: "+-*%", among: "numbers" }, float: "x _div y, or _ x%y" },
    doc: "Quotient, always float; a number divided by 0 is 0i or -0i, 0 divided by 0 is 0n.",
    words: "division divided by quotient ratio",
    examples: [["5%2", "2.5"], ["4 8%2", "2 4.0"], ["0%0", "0n"]] },

  { glyph: "|", valence: 1, name: "reverse", class: "list", run: reverse,
    doc: "The items from last to first; an atom is itself.",
    words: "backwards flip",
    examples: [["|3 1 2", "2 1 3"], ["|\"abc\"", "\"cba\""]] },
  { glyph: "|", valence: 2, name: "max", class: "atomic", run: max, fresh: true,
    identity: [0, -Infinity], int: { code: (x, y) => `${x}>${y}?${x}:${y}` },
    fast: { ...folding({ ints: "s > a ? s : a", floats: "s > a || a !== a ? s : a", lanes: "max" }), ...itemwise(max) },
    doc: "The greater number; 0n is below every other.",
    words: "maximum greater or logical or",
    examples: [["3|8", "8"], ["3 8 2|5", "5 8 5"]] },

  { glyph: "&", valence: 1, name: "where", class: "list", run: where, fresh: true,
    doc: "Each place as often as the int there says: the places of the ones of a boolean vector.",
    words: "indices of true nonzero flags replicate filter",
    examples: [["&1 0 1 1 0", "0 2 3"], ["&3 2 1", "0 0 0 1 1 2"], ["&4", "0 0 0 0"]] },
  { glyph: "&", valence: 2, name: "min", class: "atomic", run: min, fresh: true,
    identity: [1, Infinity], int: { code: (x, y) => `${x}<${y}?${x}:${y}` },
    fast: { ...folding({ ints: "s < a ? s : a", floats: "s < a || s !== s ? s : a", lanes: "min" }), ...itemwise(min) },
    doc: "The lesser number; 0n is below every other.",
    words: "minimum lesser and logical and",
    examples: [["3&-8", "-8"], ["5 2 8&4", "4 2 4"]] },

  { glyph: "^", valence: 1, name: "shape", class: "list", run: shape, fresh: true,
    doc: "The lengths of the leading dimensions that all items have in common; of an atom none.",
    words: "dimensions size rho",
    examples: [["^(1 2 3;4 5 6)", "2 3"], ["^(1 2;3 4 5)", ",2"], ["^42", "!0"]] },
  { glyph: "^", valence: 2, name: "power", class: "atomic", run: power, fresh: true, fast: itemwise(power),
    misread: { float: "_ x^y" },
    doc: "x to the power y, always float.",
    words: "exponent exponentiation raise pow xexp",
    examples: [["2^3", "8.0"], ["2^1 2 3", "2 4 8.0"], ["0^0", "1.0"]] },

  { glyph: "!", valence: 1, name: "enumerate", class: "list", run: enumerate, fresh: true, runsCode: true, writes: "literal",
    doc: "The ints below a number, all index pairs of a shape, the keys of a dictionary, the names in a directory named by a symbol.",
    words: "range iota til sequence counting keys names of dictionary columns cols odometer",
    examples: [["!5", "0 1 2 3 4"], ["!2 2", "(0 0\n 0 1\n 1 0\n 1 1)"], ["!.((`a;1);(`b;2))", "`a `b"]] },
  { glyph: "!", valence: 2, name: "mod, rotate", class: "list", run: rotate,
    fresh: "atom", int: { code: (x, y) => `${x}%${y}`, when: (x, y) => `&&${x}>=0&&${y}>0` }, fast: itemwise(mod),
    doc: "With an atom y, x modulo y, between 0 and y, and 0 for a float that is within about 1e-13 of either; with a list y, its first x items moved to the end, or a dictionary when x is its keys.",
    words: "modulo remainder rotate shift dictionary from keys",
    examples: [["-7!3", "2"], ["1 2 3 4!2", "1 0 1 0"], ["2!1 2 3 4", "3 4 1 2"]] },

  { glyph: "<", valence: 1, name: "grade up", class: "order", run: gradeUp, fresh: true,
    doc: "The places of the items in ascending order, equal ones in the order they stand: strings by their chars, other lists by count before items; x[<x] is x sorted.",
    words: "sort ascending order argsort rank",
    examples: [["<3 11 9 9 4", "0 4 2 3 1"], ["<\"taped\"", "1 4 3 2 0"], ["<(3 5;1 2;3 4)", "1 2 0"]] },
  { glyph: "<", valence: 2, name: "less", class: "atomic", run: less, fresh: true,
    int: { code: (x, y) => `${x}<${y}?1:0` }, fast: itemwise(less),
    misread: { order: { after: "&|", among: "comparisons" } },
    doc: "1 where x is less than y, else 0: numbers tolerantly, chars by code, symbols by text.",
    words: "less than comparison",
    examples: [["3 5 2<4 2 6", "1 0 1"], ["\"a\"<\"b\"", "1"], ["`c<`a`d", "0 1"]] },

  { glyph: ">", valence: 1, name: "grade down", class: "order", run: gradeDown, fresh: true,
    doc: "The places of the items in descending order, equal ones in the order they stand; x[>x] is x sorted down.",
    words: "sort descending order argsort",
    examples: [[">3 11 9 9 4", "1 2 3 4 0"], [">`b`c`a", "1 0 2"]] },
  { glyph: ">", valence: 2, name: "more", class: "atomic", run: more, fresh: true,
    int: { code: (x, y) => `${x}>${y}?1:0` }, fast: itemwise(more),
    misread: { order: { after: "&|", among: "comparisons" } },
    doc: "1 where x is greater than y, else 0: numbers tolerantly, chars by code, symbols by text.",
    words: "greater than comparison",
    examples: [["3 5 2>2", "1 1 0"], ["`inch`mile>`foot`yard", "1 0"]] },

  { glyph: "=", valence: 1, name: "group", class: "search", run: group, fresh: true,
    doc: "For each distinct item, in order of first appearance, the places where it stands.",
    words: "group by classes indices",
    examples: [["=2 1 2 2 1", "(0 2 3\n 1 4)"], ["=\"weekend\"", "(,0\n 1 2 4\n ,3\n ,5\n ,6)"]] },
  { glyph: "=", valence: 2, name: "equal", class: "atomic", run: equal, fresh: true,
    identity: [1], int: { code: (x, y) => `${x}===${y}?1:0` }, fast: itemwise(equal),
    misread: { order: { after: "&|", among: "comparisons" }, assigns: true },
    doc: "1 where x and y are equal, else 0; floats within about 1e-13 of each other are.",
    words: "equals comparison same",
    examples: [["3=3 4 5", "1 0 0"], ["\"cat\"=\"rat\"", "0 1 1"], ["1=1.0000000000001", "1"]] },

  { glyph: "~", valence: 1, name: "not, handle", class: "atomic", run: not, fresh: true, int: (x) => `${x}===0?1:0`,
    doc: "1 for 0 and 0 for every other number; the attribute handle of a symbol.",
    words: "negation logical not boolean handle",
    examples: [["~1 0 4", "0 1 0"], ["~4.6 0", "0 1"], ["~`a", "`a."]] },
  { glyph: "~", valence: 2, name: "match", class: "search", run: (x, y) => (match(x, y) ? 1 : 0), fresh: true,
    fast: betweenNeighbours(equal),
    misread: { chars: true },
    doc: "1 when x and y are the same thing, types and all; floats tolerantly.",
    words: "identical same deep equality",
    examples: [["1 2~1 2", "1"], ["1~1.0", "0"], ["\"a\"~,\"a\"", "0"]] },

  { glyph: "?", valence: 1, name: "unique", class: "search", run: unique,
    doc: "The distinct items in order of first appearance.",
    words: "distinct uniq set deduplicate duplicates",
    examples: [["?9 6 8 6 9", "9 6 8"], ["?(1 2;3;1 2)", "(1 2\n 3)"]] },
  { glyph: "?", valence: 2, name: "find", class: "search", run: (x, y, k) => (x instanceof Func ? inverse(x, y, undefined, k) : find(x, y)), fresh: true,
    runsCode: true, fast: finding,
    doc: "The place of the first item of x that matches y, or the count of x; with a function x, the argument that gives y.",
    words: "index of position search lookup inverse",
    examples: [["9 8 7 6?7", "2"], ["(1 2;\"ab\")?\"ab\"", "1"], ["{x^2}?9", "3.0"]] },

  { glyph: "_", valence: 1, name: "floor", class: "atomic", run: floor, fresh: true, int: (x) => x,
    doc: "The largest int not above each number, or above it by no more than a few roundings; 0n gives 0N, and what is beyond all ints 0I or -0I.",
    words: "round down integer truncate",
    examples: [["_ 4.6 -4.6", "4 -5"], ["_1.999999999999999", "2"], ["_0n", "0N"]] },
  { glyph: "_", valence: 2, name: "drop, cut", class: "list", run: drop,
    misread: { counts: true },
    doc: "All but the first x items, or the last when x is negative; with a vector x, the pieces that begin at those places.",
    words: "skip rest tail split cut slice",
    examples: [["2 _ 3 4 5 6", "5 6"], ["-1 _ \"abc\"", "\"ab\""], ["0 2 4 _ !6", "(0 1\n 2 3\n 4 5)"]] },

  { glyph: ",", valence: 1, name: "enlist", class: "list", run: enlist, writes: "literal",
    doc: "The list whose only item is x.",
    words: "singleton wrap list of one",
    examples: [[",1", ",1"], [",1 2", ",1 2"]] },
  { glyph: ",", valence: 2, name: "join", class: "list", run: join, role: "join", fast: joins,
    doc: "The items of x, then those of y; an atom is one item, and no type is changed.",
    words: "concatenate concatenation append concat string strings add to list",
    examples: [["1 2,3", "1 2 3"], ["1,2.0", "(1;2.0)"], ["\"ab\",\"c\"", "\"abc\""]] },

  { glyph: "#", valence: 1, name: "count", class: "list", run: (x) => (isAtom(x) ? 1 : count(x)), fresh: true,
    doc: "How many items; an atom, a dictionary and a function count 1.",
    words: "length of a list string size len number of items",
    examples: [["#3 1 4", "3"], ["#()", "0"], ["#5", "1"]] },
  { glyph: "#", valence: 2, name: "take, reshape", class: "list", run: take, writes: "literal",
    misread: { counts: true },
    doc: "The first x items of y, or the last when x is negative, around again when there are too few; with a vector x, an array of that shape.",
    words: "first n repeat reshape head",
    examples: [["5#1 2", "1 2 1 2 1"], ["-2#4 5 6", "5 6"], ["2 3#!6", "(0 1 2\n 3 4 5)"]] },

  { glyph: "@", valence: 1, name: "atom", class: "list", run: (x) => (isAtom(x) ? 1 : 0), fresh: true,
    doc: "1 for an atom, which dictionaries, functions and nil are too, 0 for a list.",
    words: "is atom scalar",
    examples: [["@1", "1"], ["@\"\"", "0"], ["@{x}", "1"]] },
  { glyph: "@", valence: 2, name: "at", class: "apply", run: call1, runsCode: true, role: "apply",
    doc: "The items of x at the places y, or the function x of the one argument y.",
    words: "index apply call subscript",
    examples: [["3 4 5@2 0", "5 3"], ["{x*x}@3", "9"], ["(.,(`a;7))@`a", "7"]] },

  { glyph: ".", valence: 1, name: "execute, make", class: "apply", run: execute, runsCode: true, writes: "entries",
    doc: "The value of a string of K or of a name; the dictionary of a list of pairs or triples; the triples of a dictionary; `.[…]` of the items of another list.",
    words: "eval evaluate dictionary make parse",
    examples: [[".\"2+3*4\"", "14"], [".((`a;1);(`b;2))", ".((`a;1;)\n  (`b;2;))"], [". .,(`a;1)", ",(`a;1;)"], [".(%;20 4)", "5.0"]] },
  { glyph: ".", valence: 2, name: "dot", class: "apply", run: applyDot, runsCode: true, role: "attributes",
    doc: "The item of x down the path y, or the function x of the arguments y.",
    words: "apply arguments index deep",
    examples: [["(1 2;3 4) . 1 0", "3"], ["(%) . 20 4", "5.0"]] },

  { glyph: "$", valence: 1, name: "format", class: "text", run: formatMonad,
    doc: "Each atom as a string.",
    words: "to string text format number",
    examples: [["$42.5", "\"42.5\""], ["$1 23", "(,\"1\"\n \"23\")"], ["$`abc", "\"abc\""]] },
  { glyph: "$", valence: 2, name: "form", class: "text", run: formatDyad, runsCode: true,
    doc: "With a width on the left, y as text in a field of that width; with a sample, the value a string of that type stands for.",
    words: "pad cast parse convert string to number width decimals",
    examples: [["5$42", "\"   42\""], ["8.2$3.14159", "\"    3.14\""], ["0$\"123\"", "123"]] },

  { glyph: ":", valence: 1, name: "identity", class: "list", run: (x) => x,
    doc: "x itself; in a function it returns x from it.",
    words: "return",
    examples: [[":1", "1"], ["{:x;2}5", "5"]] },
  { glyph: ":", valence: 2, name: "right", class: "list", run: (_x, y) => y, role: "replace",
    doc: "y; written with a name on its left it is assignment.",
    words: "assign assignment set variable",
    examples: [["a:5\na", "5"], ["@[1 2 3;1;:;9]", "1 9 3"]] },
]

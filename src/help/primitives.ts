/** Entries of the verbs and system names, made from the tables of the language. Only the words that people search by are added here. */
import { type PrimitiveRow, rows } from "../k3/documents.ts"
import type { Entry } from "./Entry.ts"
import { idioms } from "./idioms.ts"

const isSystemName = (glyph: string): boolean => glyph.length > 1 && glyph.startsWith("_")

/** A verb with its arguments: `+x`, `x+y`, `x _ y` (`x_y` is a name), `_sin x`, `x _in y`, `_ssr[x;y;z]`, `_t`. */
export const formOf = ({ glyph, valence }: PrimitiveRow): string => {
  const isSpaced = glyph.startsWith("_")
  switch (valence) {
    case 0:
      return glyph
    case 1:
      return isSpaced ? `${glyph} x` : `${glyph}x`
    case 2:
      return isSpaced ? `x ${glyph} y` : `x${glyph}y`
    case 3:
      return `${glyph}[x;y;z]`
  }
}

/** Words for a verb in other languages and in everyday use. */
const words: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "+x": "transpose zip columns",
    "x+y": "add addition sum",
    "-x": "negative minus sign",
    "x-y": "subtract subtraction difference",
    "*x": "head car",
    "x*y": "multiply multiplication product",
    "%x": "inverse one over",
    "x%y": "division divided by quotient ratio",
    "|x": "backwards flip",
    "x|y": "maximum greater or logical or",
    "&x": "indices of true nonzero flags replicate filter",
    "x&y": "minimum lesser and logical and",
    "^x": "dimensions size rho",
    "x^y": "exponent exponentiation raise pow xexp",
    "!x": "range iota til sequence counting keys names of dictionary columns cols odometer",
    "x!y": "modulo remainder rotate shift dictionary from keys",
    "<x": "sort ascending order argsort rank",
    ">x": "sort descending order argsort",
    "x<y": "less than comparison",
    "x>y": "greater than comparison",
    "=x": "group by classes indices",
    "x=y": "equals comparison same",
    "~x": "negation logical not boolean handle",
    "x~y": "identical same deep equality",
    "?x": "distinct uniq set deduplicate duplicates",
    "x?y": "index of position search lookup inverse",
    "_ x": "round down integer truncate",
    "x _ y": "skip rest tail split cut slice",
    ",x": "singleton wrap list of one",
    "x,y": "concatenate append concat strings add to list",
    "#x": "length of a list string size len number of items",
    "x#y": "first n repeat reshape head",
    "@x": "is atom scalar",
    "x@y": "index apply call subscript",
    ".x": "eval evaluate dictionary make parse",
    "x.y": "apply arguments index deep",
    $x: "to string text format number",
    x$y: "pad cast parse convert string to number width decimals",
    ":x": "return",
    "x:y": "assign assignment set variable",
    "x _in y": "member membership contains element",
    "x _lin y": "member each contains",
    "x _sm y": "like glob wildcard regex match pattern",
    "x _ss y": "substring find text search position regex",
    "_ssr[x;y;z]": "substitute replace regex text",
    "_ic x": "ord ascii code char to int",
    "_ci x": "chr ascii char from code int to char",
    "x _sv y": "base decode undigits polynomial",
    "x _vs y": "base encode digits binary bits",
    "x _draw y": "rand random roll deal shuffle",
    "x _di y": "remove delete key index",
    "x _dv y": "remove delete value",
    "x _bin y": "binary search bisect sorted",
    "x _mul y": "matrix multiplication product mmu",
    "_inv x": "matrix inverse",
    "x _lsq y": "least squares solve linear equations regression",
    "x _dot y": "inner scalar product",
    "x _div y": "integer division quotient whole",
    "4:x": "type of typeof kind",
    "5:x": "repr show display text of value",
    "0:x": "read file lines text load",
    "x0:y": "write file lines text save csv print console output",
    "1:x": "read load value file",
    "x1:y": "write save value file",
    "6:x": "read bytes binary file",
    "x6:y": "write bytes binary file",
    _t: "time now clock seconds timestamp",
    _T: "time now clock days",
    _n: "null none nil missing",
    "_jd x": "date julian day",
    "_dj x": "date from day",
    "_exit x": "quit leave",
  }),
)

/** Names of the idioms that use a system name. */
const inIdioms = (glyph: string): readonly string[] => {
  const used = new RegExp(`(?<![\\w\`])${glyph}(?![A-Za-z])`)
  return idioms.filter(({ body }) => used.test(body[0]![0])).map(({ form }) => form)
}

/** System names of the same class, then idioms that use the name. */
const relatedOf = (wanted: PrimitiveRow): readonly string[] => {
  if (!isSystemName(wanted.glyph)) return []
  const glyphs = new Set(rows.filter((row) => row.class === wanted.class && isSystemName(row.glyph)).map((row) => row.glyph))
  return [...[...glyphs].filter((glyph) => glyph !== wanted.glyph).slice(0, 5), ...inIdioms(wanted.glyph).slice(0, 4)]
}

const entryOf = (row: PrimitiveRow): Entry => {
  const { glyph, name, doc, examples } = row
  const form = formOf(row)
  const monad = row.valence === 1 && glyph.length === 1 && glyph !== ":" ? [`${glyph}:`] : []
  return {
    kind: glyph.length > 1 ? "name" : "verb",
    form,
    keys: [glyph, form, ...monad, ...name.split(", "), ...(isSystemName(glyph) ? [glyph.slice(1)] : [])],
    title: name,
    group: row.class,
    body: [doc, ...examples],
    words: words.get(form) ?? "",
    // Computed when it is read, since it searches every idiom.
    get related() {
      return relatedOf(row)
    },
  }
}

export const primitives: readonly Entry[] = rows.map(entryOf)

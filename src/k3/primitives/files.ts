/**
 * The verbs of digits: text, data and raw files, the type and the text of a value.
 *
 * Guarantees: files are reached only through the host, which decides about access. A data file (see `dataFiles.ts`) has the extension `.l`. Each
 * written line ends in a newline; reading drops carriage returns before newlines. Lines and records can also be read from a part of a file.
 *
 * Does not: map files into memory, load native code (`2:`) or talk to other interpreters (`3:`, `4:`): those are `nonce` errors.
 */
import * as budget from "../run/budget.ts"
import { written } from "../values/format.ts"
import type { Dyad, Kernel, Monad } from "../run/kernel.ts"
import { bytesIn } from "../run/fileBytes.ts"
import { KError } from "../run/KError.ts"
import { wrongType } from "../run/mismatch.ts"
import {
  type Atom,
  bytes,
  type Char,
  Chars,
  chars,
  EMPTY_SYMBOL,
  isAtom,
  List,
  NIL,
  stringOf,
  text,
  typeOf,
  type Value,
} from "../values/value.ts"
import { listOf, sizeOf, stringPartsOf, type Strings } from "../values/Parts.ts"
import { appendData, readData, writeData } from "./dataFiles.ts"
import { nameOf } from "./environment.ts"
import { linesIn } from "./cutting.ts"
import { table } from "./fields.ts"
import { records } from "./records.ts"
import type { SystemRow } from "./Row.ts"

/** The bytes of a file, or of its part given as (name;first byte;bytes). */
const readPart = (f: Value, k: Kernel): Uint8Array => {
  if (typeof f === "number" || f.t !== 0 || f.v.length !== 3) return bytesIn(nameOf(f), k.host)
  return bytesIn(nameOf(f.v[0]!), k.host, Math.max(0, numberOf(f.v[1]!)), Math.max(0, numberOf(f.v[2]!)))
}
const numberOf = (x: Value): number => {
  if (typeof x === "number") return x
  // 0n is 0, as 0N is.
  if (x.t === 2) return Math.floor(x.v) || 0
  throw wrongType("the first byte and the count of a part of a file are numbers", x)
}

const STRINGS = "a string or a list of strings is wanted"

/** Is this one string, rather than a list of them? Atoms that are no string fail later. */
const isString = (x: Value): x is Atom | Chars => isAtom(x) || x.t === -3

/** The bytes of many strings in one array, with `after` after each. */
const bytesOfParts = (parts: Strings, after: string): Uint8Array => {
  const { of, starts, ends } = parts
  const out = budget.unfilledBytes(sizeOf(parts) + ends.length * after.length)
  const end = after.charCodeAt(0)
  let at = 0
  budget.inBlocks(ends.length, (i) => {
    budget.transfer(out, at, of.v, starts[i], ends[i])
    at += ends[i]! - starts[i]!
    if (after.length > 0) out[at++] = end
  })
  return out
}

/** The bytes of a string or char, or of a list of them with `after` after each. */
const bytesOf = (x: Value, after: string): Uint8Array => {
  if (!isString(x) && x.t !== 0 && x.v.length > 0) throw wrongType(STRINGS, x)
  const many = stringPartsOf(x)
  if (many !== undefined) return bytesOfParts(many, after)
  const strings = isString(x) ? [x] : x.t === 0 ? x.v : []
  const end = bytes(after)
  const parts = strings.flatMap((s) => {
    budget.tick()
    const v = stringOf(s)
    if (v === undefined) throw wrongType(STRINGS, s)
    return [v, end]
  })
  const out = budget.unfilledBytes(parts.reduce((total, v) => total + v.length, 0))
  let at = 0
  for (const v of parts) {
    budget.transfer(out, at, v)
    at += v.length
  }
  return out
}

const isConsole = (f: Value): boolean => f === EMPTY_SYMBOL

const readLines: Monad = (f, k) => {
  if (isConsole(f)) {
    if (k.host.input === undefined) throw new KError("nonce", "standard input is read by a script that is run as k3 FILE alone")
    const line = k.host.input()
    return line === undefined ? NIL : chars(line)
  }
  return listOf(linesIn(readPart(f, k)))
}

const writeLines: Dyad = (f, x, k) => {
  if (isConsole(f)) {
    k.host.write(text(bytesOf(x, isString(x) ? "" : "\n")))
  } else if (isPair(f)) return readFields(f, x, k)
  else k.host.files.write(nameOf(f), bytesOf(x, "\n"))
  return NIL
}
const readFields = ({ v: [types, how] }: List, x: Value, k: Kernel): Value => {
  if (isConsole(x)) throw new KError("nonce", "fields are read from a file, not from standard input")
  return table(types!, how!, readPart(x, k), k.host.quotesCut)
}
const isPair = (f: Value): f is List => f instanceof List && f.v.length === 2

const dataName = (f: Value): string => {
  const name = nameOf(f)
  return name.endsWith(".l") ? name : name + ".l"
}

const isText = (x: Value): x is Chars | Char => typeof x !== "number" && (x.t === -3 || x.t === 3)

const readValue: Monad = (f, k) => readData(dataName(f), k)

const writeValue: Dyad = (f, x, k) => {
  if (isPair(f)) {
    const [types, widths] = f.v as [Value, Value]
    if (!isText(types) || (typeof widths !== "number" && widths.t !== -1))
      throw wrongType("(types;widths) are a string and ints", types, widths)
    return records(nameOf(types), typeof widths === "number" ? Int32Array.of(widths) : widths.v, readPart(x, k))
  }
  writeData(dataName(f), x, k)
  return NIL
}

const writeBytes: Dyad = (f, x, k) => {
  k.host.files.write(nameOf(f), bytesOf(x, ""))
  return NIL
}

const notHere = (what: string) => (): never => {
  throw new KError("nonce", what)
}
const NATIVE = "native code cannot be loaded; what K does not do, a program of its own can, by \\program"
const NETWORK = "this interpreter has no network; 1: and 6: hand data on through files"

// prettier-ignore
export const rows: readonly SystemRow[] = [
  { glyph: "0:", valence: 1, name: "read lines", class: "file", run: readLines, fresh: true,
    doc: "The lines of a text file, a list of strings; 0:` the next line of standard input in a script run as k3 FILE, nil at the end.",
    words: "read file lines text load",
    examples: [['`lines.txt 0:("ab";"cd")\n0:`lines.txt', '("ab"\n "cd")']] },
  { glyph: "0:", valence: 2, name: "write lines, read fields", class: "file", run: writeLines,
    doc: 'Writes y, a string or a list of them, as lines of the file x (` is the console); (types;",") or (types;widths) reads the fields of file y by columns, (name;first byte;bytes) of a part of it.',
    words: "write file lines text save csv print console output",
    examples: [['`0:"hello\\n"', "hello"],
      ['`csv.txt 0:("1,x";"2,y")\n("IS";",") 0:`csv.txt', "(1 2\n `x `y)"],
      ['`head.txt 0:("n,s";"1,x";"2,y")\n("IS";,",") 0:`head.txt', "(`n `s\n (1 2\n  `x `y))"],
      ['`fixed.txt 0:(" 1x 2.5";"12y   3")\n("IC F";2 1 1 3) 0:`fixed.txt', '(1 12\n (,"x"\n  ,"y")\n 2.5 3)']] },
  { glyph: "1:", valence: 1, name: "read data", class: "file", run: readValue, fresh: true,
    doc: "The value in a data file; the extension .l is added when it is not there.",
    words: "read load value file",
    examples: [['"data" 1:(1;2.5;"abc")\n1:"data"', '(1;2.5;"abc")']] },
  { glyph: "1:", valence: 2, name: "write data, read records", class: "file", run: writeValue, fresh: true,
    doc: "Writes the value y into the data file x; (types;widths) reads the records of bytes in file y by columns. Types are c b s i f d, C S of any width, and a blank to pass over.",
    words: "write save value file",
    examples: [['"data" 1:1 2 3\n1:"data"', "1 2 3"], ['`raw.bin 6:"\\001\\000ab\\002\\000cd"\n("sC";2 2) 1:`raw.bin', '(1 2\n ("ab"\n  "cd"))']] },
  { glyph: "2:", valence: 1, name: "copy data", class: "file", run: readValue, fresh: true,
    doc: "The value in a data file, copied; here the same as `1:`.",
    examples: [['"data" 1:`a`b\n2:"data"', "`a `b"]] },
  { glyph: "2:", valence: 2, name: "link", class: "file", run: notHere(NATIVE),
    doc: "Kx loads native code with this; here it is a `nonce` error.",
    examples: [['.[2:;("lib";("f";1));:]', '(1;"nonce")']] },
  { glyph: "3:", valence: 1, name: "open or close", class: "file", run: notHere(NETWORK),
    doc: "Kx opens and closes connections with this; here it is a `nonce` error.",
    examples: [["@[3:;(`host;80);:]", '(1;"nonce")']] },
  { glyph: "3:", valence: 2, name: "set", class: "file", run: notHere(NETWORK),
    doc: "Kx sends a message with this; here it is a `nonce` error.",
    examples: [['.[3:;(5;"a");:]', '(1;"nonce")']] },
  { glyph: "4:", valence: 1, name: "type", class: "system", run: (x) => typeOf(x), fresh: true,
    doc: "The type of x: 1 int, 2 float, 3 char, 4 symbol, negative for vectors of them, 0 list, 5 dictionary, 6 nil, 7 function.",
    words: "type of typeof kind",
    examples: [["4:1 2.0", "-2"], ['4:(1;"a")', "0"], ["4:{x}", "7"]] },
  { glyph: "4:", valence: 2, name: "get", class: "file", run: notHere(NETWORK),
    doc: "Kx asks another interpreter with this; here it is a `nonce` error.",
    examples: [['.[4:;(5;"a");:]', '(1;"nonce")']] },
  { glyph: "5:", valence: 1, name: "written text", class: "system", run: (x, k) => chars(written(x, k.precision)), fresh: true,
    doc: "The text the console shows for x, as one string.",
    words: "repr show display text of value",
    examples: [["5:42", '"42"'], ['5:(1;2.5;"a")', '"(1;2.5;\\"a\\")"']] },
  { glyph: "5:", valence: 2, name: "append data", class: "file", run: (f, x, k) => appendData(dataName(f), x, k), fresh: true,
    doc: "Appends the items of y to the data file x and gives the count of items then in it.",
    examples: [['"more" 1:1 2 3\n"more" 5:4 5', "5"]] },
  { glyph: "6:", valence: 1, name: "read bytes", class: "file", run: (f, k) => new Chars(bytesIn(nameOf(f), k.host)), fresh: true,
    doc: "The bytes of a file, as a string.",
    words: "read bytes binary file",
    examples: [['`bytes.txt 0:("ab";"cd")\n6:`bytes.txt', '"ab\\ncd\\n"']] },
  { glyph: "6:", valence: 2, name: "write bytes", class: "file", run: writeBytes, fresh: true,
    doc: "Writes the string y, or a list of strings one after the other, as the bytes of the file x.",
    words: "write bytes binary file",
    examples: [['"raw" 6:"abc"\n_size "raw"', "3.0"]] },
]

/**
 * The verbs of digits: text, data and raw files, type, and the text of a value.
 *
 * Guarantees: files are reached through the host alone, which says what may be reached. A data file is `fd ff ff ff 01 00 00 00` and the
 * value's image (see `image.ts`), named with the extension `.l`, and reads back exactly. Lines are written with a newline after each;
 * reading takes carriage returns before newlines away. What reads lines or records reads a part of a file, too. Appending to a vector of
 * ints, floats or chars costs what is appended, and a program that ends in the middle leaves the file as it was; other data is written anew.
 * Does not: map files into memory, load native code (`2:`) or talk to other interpreters (`3:`, `4:`): those are `nonce` errors.
 */
import * as budget from "../budget.ts"
import { written } from "../format.ts"
import type { Dyad, Kernel, Monad } from "../kernel.ts"
import { KError } from "../KError.ts"
import { wrongType } from "../mismatch.ts"
import { type Char, Chars, chars_, collapse, count, EMPTY_LIST, INF_INT, isAtom, List, NIL, text, typeOf, type Value } from "../value.ts"
import { nameOf } from "./environment.ts"
import { table } from "./fields.ts"
import { imageAfter8, valueAfter8 } from "./image.ts"
import { records } from "./records.ts"
import type { SystemRow } from "./Row.ts"
import { join } from "./structure.ts"

/** A file's bytes as a plain array: what Node gives is a kind of its own, whose slices share memory. */
const read = (path: string, k: Kernel, first?: number, most?: number): Uint8Array => {
  const v = k.host.files.read(path, first, most)
  return new Uint8Array(v.buffer, v.byteOffset, v.byteLength)
}

/** Of a file, or of a part of it that is given as (name;first byte;bytes). */
const readPart = (f: Value, k: Kernel): Uint8Array => {
  if (typeof f === "number" || f.t !== 0 || f.v.length !== 3) return read(nameOf(f), k)
  return read(nameOf(f.v[0]!), k, Math.max(0, numberOf(f.v[1]!)), Math.max(0, numberOf(f.v[2]!)))
}
const numberOf = (x: Value): number => {
  if (typeof x === "number") return x
  if (x.t === 2) return Math.floor(x.v)
  throw wrongType("the first byte and the count of a part of a file are numbers", x)
}

const NEWLINE = 10
const RETURN = 13

const linesOf = (v: Uint8Array): List => {
  const lines: Value[] = []
  for (let start = 0; start < v.length;) {
    const newline = v.indexOf(NEWLINE, start)
    const next = newline < 0 ? v.length : newline
    budget.tick(next - start + 1)
    budget.alloc(next - start + 64)
    const end = newline > start && v[newline - 1] === RETURN ? newline - 1 : next
    lines.push(new Chars(v.slice(start, end)))
    start = next + 1
  }
  return lines.length === 0 ? EMPTY_LIST : new List(lines)
}

const STRINGS = "a string or a list of strings is wanted"

/** The bytes of a string or char, or of a list of them with `after` behind each. */
const bytesOf = (x: Value, after: string): Uint8Array => {
  const one = isAtom(x) || (x as Chars).t === -3
  if (!one && (x as List).t !== 0 && count(x) > 0) throw wrongType(STRINGS, x)
  const strings = one ? [x] : count(x) === 0 ? [] : (x as List).v
  let total = 0
  const parts = strings.map((s) => {
    budget.tick()
    const v = stringOf(s)
    total += v.length + after.length
    return v
  })
  budget.alloc(total)
  const out = new Uint8Array(total)
  let at = 0
  for (const v of parts) {
    budget.transfer(out, at, v)
    at += v.length
    for (let i = 0; i < after.length; i++) out[at++] = after.charCodeAt(i)
  }
  return out
}
const stringOf = (x: Value): Uint8Array => {
  if (typeof x !== "number" && x.t === -3) return x.v
  if (typeof x !== "number" && x.t === 3) return Uint8Array.of(x.v)
  throw wrongType(STRINGS, x)
}

const isConsole = (f: Value): boolean => typeof f !== "number" && f.t === 4 && f.text === ""

const readLines: Monad = (f, k) => {
  if (isConsole(f)) {
    if (k.host.input === undefined) throw new KError("nonce", "standard input is read by a script that is run as k3 FILE alone")
    const line = k.host.input()
    return line === undefined ? NIL : chars_(line)
  }
  return linesOf(readPart(f, k))
}

const writeLines: Dyad = (f, x, k) => {
  if (isConsole(f)) {
    const string = isAtom(x) || (x as Chars).t === -3
    k.host.write(text(bytesOf(x, string ? "" : "\n")))
  } else if (isPair(f)) return table(f.v[0]!, f.v[1]!, readLines(x, k) as List)
  else k.host.files.write(nameOf(f), bytesOf(x, "\n"))
  return NIL
}
const isPair = (f: Value): f is List => typeof f !== "number" && f.t === 0 && f.v.length === 2

const dataName = (f: Value): string => {
  const name = nameOf(f)
  return name.endsWith(".l") ? name : name + ".l"
}

const viewOf = (v: Uint8Array): DataView => new DataView(v.buffer, v.byteOffset, v.byteLength)

/** Does it begin as data files do? */
const isData = (view: DataView): boolean => view.byteLength >= 12 && view.getInt32(0, true) === -3 && view.getInt32(4, true) === 1

const readData: Monad = (f, k) => {
  const v = read(dataName(f), k)
  if (!isData(viewOf(v))) throw new KError("domain", "not a K data file")
  return valueAfter8(v, k)
}

const isText = (x: Value): x is Chars | Char => typeof x !== "number" && (x.t === -3 || x.t === 3)

const writeData: Dyad = (f, x, k) => {
  if (isPair(f)) {
    const [types, widths] = f.v as [Value, Value]
    if (!isText(types) || (typeof widths !== "number" && widths.t !== -1))
      throw wrongType("(types;widths) are a string and ints", types, widths)
    return records(nameOf(types), typeof widths === "number" ? Int32Array.of(widths) : widths.v, readPart(x, k))
  }
  const v = imageAfter8(x)
  const view = new DataView(v.buffer)
  view.setInt32(0, -3, true)
  view.setInt32(4, 1, true)
  k.host.files.write(dataName(f), v)
  return NIL
}

/** Where the items of a vector begin in a data file, and where their count is. */
const ITEMS = 16
const COUNT = 12
/** Bytes of an item, where all of a type have as many. */
const WIDTHS: Readonly<Record<number, number>> = { [-1]: 4, [-2]: 8, [-3]: 1 }

/**
 * Appends to a vector in the file where it ends, and gives the count then; undefined where more than that has to be done. The count is
 * written last, and what lies behind the items is never read: until then the file holds what it held.
 */
const grow = (name: string, size: number, x: Value, k: Kernel): number | undefined => {
  const t = -Math.abs(typeOf(x))
  const width = WIDTHS[t]
  if (width === undefined) return undefined
  const head = viewOf(read(name, k, 0, ITEMS))
  if (head.byteLength < ITEMS || !isData(head) || head.getInt32(8, true) !== t) return undefined
  const n = head.getInt32(COUNT, true)
  const all = n + count(x)
  const end = ITEMS + n * width
  // Of what is damaged, reading tells; chars have a NUL behind them.
  if (n < 0 || all > INF_INT || size < (t === -3 ? end + 1 : end)) return undefined
  const items = imageAfter8(isAtom(x) ? collapse([x]) : x).subarray(ITEMS)
  const counted = new Uint8Array(4)
  viewOf(counted).setInt32(0, all, true)
  k.host.files.patch(name, [
    { at: end, bytes: items },
    { at: COUNT, bytes: counted },
  ])
  return all
}

/** Appends and gives the count of items then in the file; a file that is not there is made. */
const appendData: Dyad = (f, x, k) => {
  const name = dataName(f)
  const size = sizeOf(name, k)
  const grown = size === undefined ? undefined : grow(name, size, x, k)
  if (grown !== undefined) return grown
  const after = join(size === undefined ? EMPTY_LIST : readData(f, k), x)
  writeData(f, after, k)
  return count(after)
}
/** Undefined for a file that is not there. */
const sizeOf = (name: string, k: Kernel): number | undefined => {
  try {
    return k.host.files.size(name)
  } catch (error) {
    if (error instanceof KError && error.kname !== "access") return undefined
    throw error
  }
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
    examples: [['`lines.txt 0:("ab";"cd")\n0:`lines.txt', '("ab"\n "cd")']] },
  { glyph: "0:", valence: 2, name: "write lines, read fields", class: "file", run: writeLines,
    doc: 'Writes y, a string or a list of them, as lines of the file x (` is the console); (types;",") or (types;widths) reads the fields of file y by columns, (name;first byte;bytes) of a part of it.',
    examples: [['`0:"hello\\n"', "hello"],
      ['`csv.txt 0:("1,x";"2,y")\n("IS";",") 0:`csv.txt', "(1 2\n `x `y)"],
      ['`head.txt 0:("n,s";"1,x";"2,y")\n("IS";,",") 0:`head.txt', "(`n `s\n (1 2\n  `x `y))"],
      ['`fixed.txt 0:(" 1x 2.5";"12y   3")\n("IC F";2 1 1 3) 0:`fixed.txt', '(1 12\n (,"x"\n  ,"y")\n 2.5 3)']] },
  { glyph: "1:", valence: 1, name: "read data", class: "file", run: readData, fresh: true,
    doc: "The value in a data file; the extension .l is added when it is not there.",
    examples: [['"data" 1:(1;2.5;"abc")\n1:"data"', '(1;2.5;"abc")']] },
  { glyph: "1:", valence: 2, name: "write data, read records", class: "file", run: writeData, fresh: true,
    doc: "Writes the value y into the data file x; (types;widths) reads the records of bytes in file y by columns. Types are c b s i f d, C S of any width, and a blank to pass over.",
    examples: [['"data" 1:1 2 3\n1:"data"', "1 2 3"], ['`raw.bin 6:"\\001\\000ab\\002\\000cd"\n("sC";2 2) 1:`raw.bin', '(1 2\n ("ab"\n  "cd"))']] },
  { glyph: "2:", valence: 1, name: "copy data", class: "file", run: readData, fresh: true,
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
    examples: [["4:1 2.0", "-2"], ['4:(1;"a")', "0"], ["4:{x}", "7"]] },
  { glyph: "4:", valence: 2, name: "get", class: "file", run: notHere(NETWORK),
    doc: "Kx asks another interpreter with this; here it is a `nonce` error.",
    examples: [['.[4:;(5;"a");:]', '(1;"nonce")']] },
  { glyph: "5:", valence: 1, name: "written text", class: "system", run: (x, k) => chars_(written(x, k.precision)), fresh: true,
    doc: "The text the console shows for x, as one string.",
    examples: [["5:42", '"42"'], ['5:(1;2.5;"a")', '"(1;2.5;\\"a\\")"']] },
  { glyph: "5:", valence: 2, name: "append data", class: "file", run: appendData, fresh: true,
    doc: "Appends the items of y to the data file x and gives the count of items then in it.",
    examples: [['"more" 1:1 2 3\n"more" 5:4 5', "5"]] },
  { glyph: "6:", valence: 1, name: "read bytes", class: "file", run: (f, k) => new Chars(read(nameOf(f), k).slice()), fresh: true,
    doc: "The bytes of a file, as a string.",
    examples: [['`bytes.txt 0:("ab";"cd")\n6:`bytes.txt', '"ab\\ncd\\n"']] },
  { glyph: "6:", valence: 2, name: "write bytes", class: "file", run: writeBytes, fresh: true,
    doc: "Writes the string y, or a list of strings one after the other, as the bytes of the file x.",
    examples: [['"raw" 6:"abc"\n_size "raw"', "3.0"]] },
]

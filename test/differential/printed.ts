/**
 * The print of a console of K as a value that can be compared: of this interpreter, of Kona and of K3CSharp, each with its own layout.
 *
 * Guarantees: a list by lines and one by semicolons are the same, so are the ways to space symbols and to mark a vector as floats, and 0.0
 * and -0.0. Does not: read functions, whose text each engine writes its own way; a print without a value is `undefined`.
 */
export type Printed =
  | { readonly kind: "int" | "float"; readonly v: number }
  | { readonly kind: "char" | "symbol"; readonly v: string }
  | { readonly kind: "nil" }
  | { readonly kind: "list"; readonly items: readonly Printed[]; readonly empty?: string }
  | { readonly kind: "dictionary"; readonly entries: Printed }

const NUMBER = /-?(?:0[NnIi]|\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?)/y
const SYMBOL = /`(?:"((?:[^"\\]|\\[^])*)"|([A-Za-z_][\w.]*|\.[A-Za-z_.][\w.]*)?)/y
const STRING = /"((?:[^"\\]|\\[^])*)"/y
const EMPTY: Readonly<Record<string, string>> = { "!0": "int", "0#0.0": "float", '""': "char", "0#`": "symbol", "()": "list" }

/** Int nulls and infinities as the ints of 32 bits that they are here. */
const NAMED: Readonly<Record<string, number>> = {
  "0N": -(2 ** 31),
  "0I": 2 ** 31 - 1,
  "-0I": 1 - 2 ** 31,
  "0n": NaN,
  "0i": Infinity,
  "-0i": -Infinity,
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\([0-7]{1,3}|[^])/g, (_, what: string) =>
    /^[0-7]/.test(what) ? String.fromCharCode(Number.parseInt(what, 8)) : ({ n: "\n", t: "\t", r: "\r", b: "\b" }[what] ?? what),
  )

const oneOrMany = (items: readonly Printed[]): Printed => (items.length === 1 ? items[0]! : { kind: "list", items })

/** Deeper nesting is not read. */
const DEEPEST = 500

class Reader {
  private at = 0
  private depth = 0
  constructor(private readonly text: string) {}

  whole(): Printed | undefined {
    const value = this.value()
    return this.at === this.text.length ? value : undefined
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    if (found !== null) this.at += found[0].length
    return found
  }

  private atEnd(): boolean {
    return this.at >= this.text.length || /[;)\n]/.test(this.text[this.at]!)
  }

  private value(): Printed | undefined {
    if (this.atEnd()) return { kind: "nil" }
    const value = this.data()
    return this.atEnd() ? value : undefined
  }

  private data(): Printed | undefined {
    if (this.depth === DEEPEST) return undefined
    this.depth++
    const read = this.oneOf()
    this.depth--
    return read
  }

  private oneOf(): Printed | undefined {
    for (const [text, empty] of Object.entries(EMPTY))
      if (this.text.startsWith(text, this.at)) {
        this.at += text.length
        return { kind: "list", items: [], empty }
      }
    const next = this.text[this.at]
    if (next === ",") {
      this.at++
      const item = this.data()
      return item === undefined ? undefined : { kind: "list", items: [item] }
    }
    if (next === "(") return this.list()
    if (next === '"') return this.string()
    if (next === "`") return this.symbols()
    if (next === "." && /[(,]/.test(this.text[this.at + 1] ?? "")) {
      this.at++
      const entries = this.data()
      return entries === undefined ? undefined : { kind: "dictionary", entries }
    }
    return this.numbers()
  }

  private list(): Printed | undefined {
    const items: Printed[] = []
    do {
      this.at++
      while (this.text[this.at] === " ") this.at++
      const item = this.value()
      if (item === undefined) return undefined
      items.push(item)
    } while (/[;\n]/.test(this.text[this.at] ?? ""))
    return this.text[this.at++] === ")" ? { kind: "list", items } : undefined
  }

  private string(): Printed | undefined {
    const found = this.match(STRING)
    if (found === null) return undefined
    return oneOrMany([...unescaped(found[1]!)].map((v) => ({ kind: "char", v })))
  }

  private symbols(): Printed {
    const items: Printed[] = []
    for (let found = this.match(SYMBOL); found !== null; found = this.match(SYMBOL)) {
      items.push({ kind: "symbol", v: found[1] === undefined ? (found[2] ?? "") : unescaped(found[1]) })
      if (this.text.startsWith(" `", this.at)) this.at++
    }
    return oneOrMany(items)
  }

  private numbers(): Printed | undefined {
    const texts: string[] = []
    for (let found = this.match(NUMBER); found !== null; found = this.match(NUMBER)) {
      texts.push(found[0])
      if (this.text[this.at] === " ") this.at++
    }
    if (texts.length === 0) return undefined
    const kind = texts.some((text) => /[.eni]/.test(text)) ? "float" : "int"
    return oneOrMany(texts.map((text) => ({ kind, v: NAMED[text] ?? Number(text) + 0 })))
  }
}

export const readPrinted = (text: string): Printed | undefined => new Reader(text).whole()

/** Floats are printed with 15 digits or more, after steps that engines take in different order. */
const TOLERANCE = 1e-9

export const alike = (x: Printed, y: Printed): boolean => {
  if ((x.kind === "int" || x.kind === "float") && (y.kind === "int" || y.kind === "float"))
    return (
      x.kind === y.kind &&
      (Object.is(x.v, y.v) || x.v === y.v || (Number.isFinite(x.v - y.v) && Math.abs(x.v - y.v) <= TOLERANCE * Math.abs(x.v)))
    )
  if (x.kind === "list" && y.kind === "list")
    return (
      x.items.length === y.items.length &&
      (x.items.length > 0 || x.empty === y.empty) &&
      x.items.every((item, i) => alike(item, y.items[i]!))
    )
  if (x.kind === "dictionary" && y.kind === "dictionary") return alike(x.entries, y.entries)
  return x.kind === y.kind && (x as { v?: unknown }).v === (y as { v?: unknown }).v
}

/** An int that 32 bits do not hold, as Kona's have 64. Its own 0I and 0N are named, so that the greatest int is one too. */
export const isWide = (x: Printed): boolean =>
  (x.kind === "int" && Math.abs(x.v) > 2 ** 31 - 1 && x.v !== -(2 ** 31)) ||
  (x.kind === "list" && x.items.some(isWide)) ||
  (x.kind === "dictionary" && isWide(x.entries))

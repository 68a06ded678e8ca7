/**
 * An image (`_bd`) as the K text that makes the same value, exact: what a script that is to be read holds instead of bytes.
 *
 * The layout is the one that `src/k3/primitives/image.ts` tells. Guarantees: evaluating the text gives the image's value, on the embedded
 * engine; what has no such text, such as a verb in a list, or a function that belongs to another directory, becomes `_db` of its image.
 */

const FUNCTION = 10
const DEEPEST = 100
const PLAIN_SYMBOL = /^(?:[A-Za-z][A-Za-z0-9]*)?$/

/** There is no text for it. */
const noText = Symbol("no text")
type Text = string | typeof noText

const escaped = (text: string): string =>
  `"${text.replaceAll(/[^]/g, (c) => {
    const code = c.charCodeAt(0)
    if (c === '"' || c === "\\") return `\\${c}`
    if (c === "\n") return "\\n"
    return code < 32 || code > 126 ? `\\${(code & 255).toString(8).padStart(3, "0")}` : c
  })}"`

const int = (x: number): string => (x === -(2 ** 31) ? "0N" : x === 2 ** 31 - 1 ? "0I" : x === 1 - 2 ** 31 ? "-0I" : String(x))

const float = (x: number): string => {
  if (Number.isNaN(x)) return "0n"
  if (!Number.isFinite(x)) return x > 0 ? "0i" : "-0i"
  const text = Object.is(x, -0) ? "-0" : String(x).replace("e+", "e")
  return /[.e]/.test(text) ? text : `${text}.0`
}

const symbol = (text: string): string => `\`${PLAIN_SYMBOL.test(text) ? text : escaped(text)}`

/** Items of a vector; one alone is enlisted. */
const vector = (items: readonly string[], empty: string, between: string): string =>
  items.length === 0 ? empty : items.length === 1 ? `,${items[0]}` : items.join(between)

class Reader {
  private at = 8
  private readonly view: DataView
  private depth = 0
  constructor(
    private readonly bytes: Uint8Array,
    private readonly directory: string,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  private int(): number {
    this.at += 4
    return this.view.getInt32(this.at - 4, true)
  }
  private float(): number {
    this.at += 8
    return this.view.getFloat64(this.at - 8, true)
  }
  private latin1(length: number): string {
    let text = ""
    for (let i = 0; i < length; i++) text += String.fromCharCode(this.bytes[this.at + i]!)
    this.at += length
    return text
  }
  /** Up to a NUL. */
  private string(): string {
    const text = this.latin1(Math.max(0, this.bytes.indexOf(0, this.at) - this.at))
    this.at++
    return text
  }
  private times<A>(n: number, one: () => A): A[] {
    return Array.from({ length: n }, one)
  }
  private padded(): { readonly type: number; readonly text: Text } {
    const type = this.view.getInt32(this.at, true)
    const text = this.item()
    this.at = (this.at + 7) & ~7
    return { type, text }
  }

  item(): Text {
    const type = this.int()
    switch (type) {
      case 1:
        return int(this.int())
      case 2:
        this.int()
        return float(this.float())
      case 3: {
        const text = escaped(this.latin1(1))
        this.at += 3
        return text
      }
      case 4:
        return symbol(this.string())
      case 6:
        this.int()
        return "_n"
      case FUNCTION: {
        const context = this.string()
        const text = this.string()
        return text.startsWith("{") && (context === "" || context === this.directory) ? text : noText
      }
    }
    const n = this.int()
    switch (type) {
      case -1:
        return vector(
          this.times(n, () => int(this.int())),
          "!0",
          " ",
        )
      case -2:
        return vector(
          this.times(n, () => float(this.float())),
          "0#0.0",
          " ",
        )
      case -3: {
        const text = escaped(this.latin1(n))
        this.at++
        return n === 1 ? `,${text}` : text
      }
      case -4:
        return vector(
          this.times(n, () => symbol(this.string())),
          "0#`",
          "",
        )
      case 0:
      case 5:
        return this.depth < DEEPEST ? this.list(type, n) : noText
      default:
        return noText
    }
  }

  private list(type: number, n: number): Text {
    this.depth++
    const items = this.times(n, () => this.padded())
    this.depth--
    if (items.some(({ text }) => text === noText)) return noText
    // Atoms of one type would come back as a vector.
    if (type === 0 && n > 0 && items.every((each) => each.type === items[0]!.type && each.type >= 1 && each.type <= 4)) return noText
    const texts = items.map(({ text }) => text as string)
    // A comma before a function with an adverb would be composed with it.
    const only = items[0]?.type === FUNCTION ? `(${texts[0]})` : texts[0]
    const list = n === 0 ? "()" : n === 1 ? `,${only}` : `(${texts.join(";")})`
    return type === 5 ? `.${list}` : list
  }
}

/** The text of an image that is known to be whole, as a byte string; `directory` is where its variable is. */
export const textOf = (image: Uint8Array, directory: string): string => {
  const text = image.length < 12 ? noText : new Reader(image, directory).item()
  return text === noText ? `_db ${literal(image)}` : text
}

/** The image itself as a K string. */
export const literal = (image: Uint8Array): string => {
  let text = ""
  for (const byte of image) text += String.fromCharCode(byte)
  return escaped(text)
}

/**
 * A value of K, from its image, as JSON. Pure.
 *
 * | K                               | JSON                                                        |
 * | ------------------------------- | ----------------------------------------------------------- |
 * | int, float                      | number; 0N and 0n null                                      |
 * | char, string, symbol            | text                                                        |
 * | nil                             | null                                                        |
 * | vector, list                    | array                                                       |
 * | dictionary                      | object                                                      |
 * | 0I, 0i and their negatives, functions, strings that are no UTF-8, dictionaries with attributes | text: what K prints |
 *
 * Guarantees: every image of a value has its JSON, floats to the last bit; where a text stands for what JSON cannot carry, its place is
 * told as a JSON pointer. Does not: tell an int from a float of the same value, nor a char from a string of one, nor -0 from 0.
 */
import * as Result from "effect/Result"
import { textOf } from "../session/variables/imageText.ts"
import { quoted } from "./toK.ts"

export interface FromK {
  readonly value: unknown
  /** Where a text is what K prints, as JSON pointers. */
  readonly printed: readonly string[]
}

const DEEPEST = 200
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const latin1 = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}

const utf8Of = (bytes: Uint8Array): string | undefined => Result.getOrUndefined(Result.try(() => strict.decode(bytes)))

const pointer = (path: readonly (string | number)[]): string =>
  path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")

class Reader {
  private at = 8
  private readonly view: DataView
  private readonly path: (string | number)[] = []
  readonly printed: string[] = []

  constructor(
    private readonly bytes: Uint8Array,
    private readonly engine: "embedded" | "k3csharp",
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

  private taken(length: number): Uint8Array {
    this.at += length
    return this.bytes.subarray(this.at - length, this.at)
  }

  /** Up to a NUL, which is passed over. */
  private untilNul(): Uint8Array {
    const end = this.bytes.indexOf(0, this.at)
    const found = this.taken((end < 0 ? this.bytes.length : end) - this.at)
    this.at++
    return found
  }

  private told(text: string): string {
    this.printed.push(pointer(this.path))
    return text
  }

  /** The item from `start` to here, as K prints it. */
  private asPrinted(start: number): string {
    const image = new Uint8Array(8 + this.at - start)
    image.set(this.bytes.subarray(start, this.at), 8)
    return this.told(textOf(image, ".k"))
  }

  private number(x: number): unknown {
    if (Number.isNaN(x)) return null
    return Number.isFinite(x) ? x : this.told(x > 0 ? "0i" : "-0i")
  }

  private whole(x: number): unknown {
    if (x === -(2 ** 31)) return null
    return Math.abs(x) === 2 ** 31 - 1 ? this.told(x > 0 ? "0I" : "-0I") : x
  }

  /** K3CSharp's chars are letters, whose codes its images of strings hold. */
  private string(bytes: Uint8Array, start: number): string {
    return utf8Of(bytes) ?? (this.engine === "k3csharp" ? latin1(bytes) : this.asPrinted(start))
  }

  /** K3CSharp's images of symbols hold its letters in UTF-8; those it was given here are bytes each. */
  private symbol(): string {
    const bytes = this.untilNul()
    if (this.engine === "embedded") return utf8Of(bytes) ?? this.told(`\`${quoted(bytes)}`)
    const letters = utf8Of(bytes) ?? latin1(bytes)
    const given = Uint8Array.from(letters, (c) => c.charCodeAt(0))
    return (latin1(given) === letters ? utf8Of(given) : undefined) ?? letters
  }

  private each<A>(n: number, one: () => A): A[] {
    return Array.from({ length: n }, (_, i) => {
      this.path.push(i)
      const found = one()
      this.path.pop()
      return found
    })
  }

  private padded<A>(read: () => A): A {
    const found = read()
    this.at = (this.at + 7) & ~7
    return found
  }

  item(): unknown {
    if (this.path.length > DEEPEST) throw new RangeError("nested too deeply")
    const start = this.at
    const type = this.int()
    switch (type) {
      case 1:
        return this.whole(this.int())
      case 2:
        this.int()
        return this.number(this.float())
      case 3: {
        const char = this.taken(1)
        this.at += 3
        return this.string(char, start)
      }
      case 4:
        return this.symbol()
      case 6:
        this.int()
        return null
      case 10: {
        this.untilNul()
        const text = this.untilNul()
        return this.told(utf8Of(text) ?? latin1(text))
      }
    }
    const n = this.int()
    switch (type) {
      case -1:
        return this.each(n, () => this.whole(this.int()))
      case -2:
        return this.each(n, () => this.number(this.float()))
      case -3: {
        const text = this.taken(n)
        this.at++
        return this.string(text, start)
      }
      case -4:
        return this.each(n, () => this.symbol())
      case 5:
        return this.dictionary(n, start)
      default:
        return this.each(n, () => this.padded(() => this.item()))
    }
  }

  private dictionary(n: number, start: number): unknown {
    const before = this.printed.length
    let hasAttributes = false
    const entries = Array.from({ length: n }, () =>
      this.padded((): readonly [string, unknown] => {
        this.at += 8
        const key = this.padded(() => this.item()) as string
        this.path.push(key)
        const value = this.padded(() => this.item())
        this.path.pop()
        const attributes = this.padded(() => this.item())
        if (attributes !== null) hasAttributes = true
        return [key, value]
      }),
    )
    if (!hasAttributes) return Object.fromEntries(entries)
    this.printed.length = before
    return this.asPrinted(start)
  }
}

/** Undefined for bytes that are no image. */
export const fromImage = (image: Uint8Array, engine: "embedded" | "k3csharp"): FromK | undefined => {
  const reader = new Reader(image, engine)
  return Result.getOrUndefined(Result.try(() => ({ value: reader.item(), printed: reader.printed })))
}

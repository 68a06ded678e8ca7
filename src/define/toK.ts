/**
 * Turns JSON into K text that both engines read as the same value. Pure.
 *
 * | JSON                                      | K                                                            |
 * | ----------------------------------------- | ------------------------------------------------------------ |
 * | whole number of 32 bits                   | int                                                          |
 * | any other number                          | float                                                        |
 * | true, false                               | 1, 0                                                         |
 * | null                                      | nil; 0N or 0n where the type says number, and among numbers  |
 * | text                                      | string, in UTF-8; a symbol where the type says so            |
 * | array of numbers                          | ints, or floats when one of them is no int                   |
 * | any other array                           | list                                                         |
 * | object                                    | dictionary                                                   |
 *
 * Guarantees: the K text is one value for any JSON: no text inside can end it, and every byte is preserved. For a value that K cannot hold, the
 * result is a sentence: NUL in a symbol, half a surrogate pair, nesting beyond 50. Other work of the process runs between steps, and the
 * conversion can be interrupted there. Does not: make K3CSharp's own strings, in which a non-ASCII letter is one char; as in the embedded engine,
 * such a letter becomes its bytes in UTF-8.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { vector } from "../child/engines/imageText.ts"
import { GREATEST_INT, type ParameterKind } from "./parameters.ts"

const DEEPEST = 50
/** The cost of a step, and of the steps between two pauses. An item costs 1, and so do four characters of its text; a list or dictionary costs 8. */
const STEP = 64
const MOST = 16_000
/** Bytes that become characters at once. */
const CHUNK = 8192
/** A text of so many characters is followed by a pause: the cost is counted anew for each argument, and a call may have many. */
const LONG = 1024
/** A text with more bytes to escape than this is written as numbers, since K3CSharp takes quadratic time for escapes. */
const mostEscapes = 64
/** A text that looks like a command. As a literal next to the `.` of a call it would be refused as a shell command (`k3csharpShell.ts`). */
const likeCommand = /^[^!-~]*\\/
/** A text that is a K string as it stands. */
const needsNoEscape = /^[ !#-[\]-~]*$/

/** A conversion in steps, each of which yields its cost. */
type Steps<A = string> = Generator<number, A>

class NotInK extends Data.TaggedError("NotInK")<{ readonly why: string }> {}

const utf8 = new TextEncoder()

const bytesOf = (text: string): Uint8Array => {
  if (/\p{Surrogate}/u.test(text)) throw new NotInK({ why: "half a surrogate pair in a text" })
  return utf8.encode(text)
}

const isPlain = (byte: number): boolean => byte >= 32 && byte < 127

const escaped = (char: string): string =>
  char === '"' || char === "\\" ? `\\${char}` : `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`

const charactersOf = (bytes: Uint8Array): string => String.fromCharCode(...bytes).replaceAll(/[^ !#-[\]-~]/g, escaped)

/** Bytes in pieces that become characters at once. */
const chunksOf = (bytes: Uint8Array): readonly Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / CHUNK) }, (_, i) => bytes.subarray(i * CHUNK, (i + 1) * CHUNK))

/** A K string of these bytes, between its quotes. */
export const quoted = (bytes: Uint8Array): string => `"${chunksOf(bytes).map(charactersOf).join("")}"`

const stringText = (text: string): string | Steps => {
  if (needsNoEscape.test(text)) return text.length === 1 ? `,"${text}"` : `"${text}"`
  const bytes = bytesOf(text)
  const isLong = bytes.reduce((n, byte) => n + (isPlain(byte) ? 0 : 1), 0) > mostEscapes
  if (isLong || likeCommand.test(text)) return codesText(bytes)
  if (bytes.length > CHUNK) return quotedText(bytes)
  return bytes.length === 1 ? `,${quoted(bytes)}` : quoted(bytes)
}

const symbolText = (text: string): string => {
  if (text.includes("\0")) throw new NotInK({ why: "NUL in a symbol" })
  return /^(?:[A-Za-z][A-Za-z0-9]*)?$/.test(text) ? `\`${text}` : `\`${quoted(bytesOf(text))}`
}

const isInt = (x: unknown): boolean =>
  typeof x === "boolean" || (typeof x === "number" && Number.isInteger(x) && Math.abs(x) <= GREATEST_INT && !Object.is(x, -0))

const intText = (x: unknown): string => (x === null ? "0N" : String(Number(x)))

const floatText = (given: unknown): string => {
  if (given === null) return "0n"
  const x = Number(given)
  if (!Number.isFinite(x)) return x > 0 ? "0i" : "-0i"
  const text = Object.is(x, -0)
    ? "-0"
    : String(x)
        .replace(/e\+?(-?)(\d)$/, "e$10$2")
        .replace("e+", "e")
  return /[.e]/.test(text) ? text : `${text}.0`
}

const listText = (items: readonly string[]): string =>
  items.length === 0 ? "()" : items.length === 1 ? `,${items[0]}` : `(${items.join(";")})`

function* textsOf<A>(items: readonly A[], text: (item: A) => string | Steps): Steps<readonly string[]> {
  const texts: string[] = []
  let cost = 0
  for (const item of items) {
    const made = text(item)
    cost += typeof made === "string" ? 1 + made.length / 4 : 8
    texts.push(typeof made === "string" ? made : yield* made)
    if (cost < STEP) continue
    yield cost
    cost = 0
  }
  yield cost
  return texts
}

/** As `quoted`, in steps. */
function* quotedText(bytes: Uint8Array): Steps {
  return `"${(yield* textsOf(chunksOf(bytes), charactersOf)).join("")}"`
}

function* codesText(bytes: Uint8Array): Steps {
  const texts = yield* textsOf(chunksOf(bytes), (chunk) => chunk.join(" "))
  return `(_ci ${bytes.length === 1 ? "," : ""}${texts.join(" ")})`
}

function* arrayText(items: readonly unknown[], kind: ParameterKind, depth: number): Steps {
  const numbers = items.filter((each) => each !== null)
  const asked = kind === "int" || kind === "float" || kind === "symbol" ? kind : undefined
  const areInts = numbers.length > 0 && numbers.every(isInt)
  const areNumbers = numbers.length > 0 && numbers.every((each) => typeof each === "number" || typeof each === "boolean")
  const of = asked ?? (kind !== "any" ? undefined : areInts ? "int" : areNumbers ? "float" : undefined)
  switch (of) {
    case "int":
      return vector(yield* textsOf(items, intText), "!0", " ")
    case "float":
      return vector(yield* textsOf(items, floatText), "0#0.0", " ")
    case "symbol":
      return vector(yield* textsOf(items, (each) => symbolText(each as string)), "0#`", "")
    default:
      return listText(yield* textsOf(items, (each) => textOf(each, kind, depth)))
  }
}

function* pairText(key: string, value: unknown, depth: number): Steps {
  yield key.length / 4
  const text = textOf(value, "any", depth)
  return `(${symbolText(key)};${typeof text === "string" ? text : yield* text})`
}

/** By the keys: `Object.values` takes ten times as long for an object with many of them. */
function* objectText(object: object, depth: number): Steps {
  return `.${listText(yield* textsOf(Object.keys(object), (key) => pairText(key, Reflect.get(object, key), depth)))}`
}

const textOf = (value: unknown, kind: ParameterKind, depth: number): string | Steps => {
  if (depth > DEEPEST) throw new NotInK({ why: `nesting beyond ${DEEPEST}` })
  if (Array.isArray(value)) return arrayText(value, typeof kind === "string" ? kind : kind.listOf, depth + 1)
  if (kind === "int") return intText(value)
  if (kind === "float") return floatText(value)
  if (typeof value === "string") return kind === "symbol" ? symbolText(value) : stringText(value)
  if (value === null || value === undefined) return "_n"
  if (typeof value === "object") return objectText(value, depth + 1)
  return isInt(value) ? intText(value) : floatText(value)
}

/** The result of steps that end soon; undefined when more are left. */
const advance = <A>(steps: Steps<A>): A | undefined => {
  for (let cost = 0; cost < MOST;) {
    const { done, value } = steps.next()
    if (done === true) return value
    cost += value
  }
  return undefined
}

/** The K text of a value that fits its kind (`parameters.fit`), or why there is none. */
export const toK = (value: unknown, kind: ParameterKind = "any"): Effect.Effect<string, string> =>
  Effect.suspend(() => {
    const steps = textsOf([value], (each) => textOf(each, kind, 0))
    const some = Effect.try({ try: () => advance(steps), catch: (error) => (error instanceof NotInK ? error.why : String(error)) })
    const all: Effect.Effect<string, string> = Effect.flatMap(some, (texts) => {
      if (texts === undefined) return Effect.andThen(Effect.yieldNow, all)
      const text = Effect.succeed(texts[0]!)
      return texts[0]!.length < LONG ? text : Effect.andThen(Effect.yieldNow, text)
    })
    return all
  })

/** The right argument of `.` for a call with these arguments. A single argument is enlisted. */
export const argumentsText = (args: readonly string[]): string => (args.length === 1 ? `,${args[0]}` : listText(args))

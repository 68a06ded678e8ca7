/**
 * A few lines of WebAssembly: rows of numbers, each times its factor, added to one row, several items at a time.
 *
 * Why: the host makes JavaScript fast only after it has run for a while, and never adds more than one item at a time. A product of two
 * matrices of 200 × 200 is over before that. This is fast at once, for the price of copying the rows into a memory of its own.
 * Guarantees: sums and products are those of JavaScript, in the order of the rows. Does not: pay steps, or keep anything between calls.
 */

/** Items of a row that are taken at once. */
export const WIDTH = 4096
/** Items of all the rows that are taken at once. */
export const MOST_ROWS = 16384

/** Adds rows of one type. In its memory the sum stands first, and behind it the rows, each in as many places as `stride` says. */
export interface Adder {
  readonly memory: Int32Array | Float64Array
  /** Places for a row of so many items. */
  stride(width: number): number
  /** Adds as many rows as there are factors, at most MOST_ROWS items in all. */
  add(stride: number, factors: Int32Array | Float64Array): void
}

export interface Machine {
  readonly ints: Adder
  readonly floats: Adder
}

// The types of the host's WebAssembly, as far as they are needed: this folder knows no host.
type Add = (sum: number, rows: number, factors: number, lastFactor: number) => void
interface Assembled {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly ints: Add
  readonly floats: Add
}
declare const WebAssembly:
  | {
      readonly Module: new (bytes: Uint8Array) => object
      readonly Instance: new (module: object) => { readonly exports: unknown }
    }
  | undefined

/** Behind the sum and the rows. */
const FACTORS = WIDTH + MOST_ROWS
const PAGES = Math.ceil(((FACTORS + MOST_ROWS) * 8) / 65536)

/** An unsigned number as WebAssembly writes it, 7 bits a byte. */
const unsigned = (n: number): number[] => (n < 128 ? [n] : [(n & 127) | 128, ...unsigned(n >>> 7)])
const text = (s: string): number[] => [s.length, ...Array.from(s, (c) => c.charCodeAt(0))]

const I32 = 0x7f
const V128 = 0x7b
const LOOP = [0x03, 0x40]
const END = 0x0b
const get = (local: number): number[] => [0x20, local]
const set = (local: number): number[] => [0x21, local]
const simd = (code: number): number[] => [0xfd, ...unsigned(code)]
const AT = [0, 0]
const LOAD = [...simd(0x00), ...AT]
const STORE = [...simd(0x0b), ...AT]
/** Steps a local on by so many bytes. */
const step = (local: number, by: number): number[] => [...get(local), 0x41, by, 0x6a, ...set(local)]
/** Goes round the innermost loop again while one local is below another. */
const againWhileBelow = (a: number, b: number): number[] => [...get(a), ...get(b), 0x49, 0x0d, 0]

const [SUM, ROWS, FACTOR, LAST, PLACE, VALUE, SUM_END] = [0, 1, 2, 3, 4, 5, 6] as const
const PARAMETERS = [4, I32, I32, I32, I32]
const LOCALS = [3, 1, I32, 1, V128, 1, I32]

/**
 * Addresses in bytes: the rows begin where the sum ends. For each factor, its value in all lanes; for each place of the sum, the next items
 * of the rows times that value added.
 */
const adding = (splat: number, multiply: number, plus: number, size: number): number[] => {
  const code = [
    LOCALS,
    [...get(ROWS), ...set(SUM_END)],
    [...LOOP, ...get(FACTOR), ...simd(splat), ...AT, ...set(VALUE), ...get(SUM), ...set(PLACE)],
    [...LOOP, ...get(PLACE), ...get(PLACE), ...LOAD],
    [...get(ROWS), ...LOAD, ...get(VALUE), ...simd(multiply), ...simd(plus), ...STORE],
    [...step(ROWS, 16), ...step(PLACE, 16), ...againWhileBelow(PLACE, SUM_END), END],
    [...step(FACTOR, size), ...againWhileBelow(FACTOR, LAST), END],
    [END],
  ].flat()
  return [...unsigned(code.length), ...code]
}

const section = (id: number, ...content: number[]): number[] => [id, ...unsigned(content.length), ...content]

const program = (): Uint8Array =>
  Uint8Array.from(
    [
      [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      section(1, 1, 0x60, ...PARAMETERS, 0),
      section(3, 2, 0, 0),
      section(5, 1, 0, PAGES),
      section(7, 3, ...text("memory"), 2, 0, ...text("ints"), 0, 0, ...text("floats"), 0, 1),
      section(10, 2, ...adding(0x09, 0xb5, 0xae, 4), ...adding(0x0a, 0xf2, 0xf0, 8)),
    ].flat(),
  )

const adder = (memory: Int32Array | Float64Array, add: Add): Adder => {
  const size = memory.BYTES_PER_ELEMENT
  const lanes = 16 / size
  return {
    memory,
    stride: (width) => Math.ceil(width / lanes) * lanes,
    add: (stride, factors) => {
      memory.set(factors, FACTORS)
      add(0, stride * size, FACTORS * size, (FACTORS + factors.length) * size)
    },
  }
}

const make = (): Machine | undefined => {
  // Its memory has the low byte first, whatever the processor.
  if (typeof WebAssembly === "undefined" || new Uint8Array(Int32Array.of(1).buffer)[0] !== 1) return undefined
  try {
    const { memory, ints, floats } = new WebAssembly.Instance(new WebAssembly.Module(program())).exports as Assembled
    return { ints: adder(new Int32Array(memory.buffer), ints), floats: adder(new Float64Array(memory.buffer), floats) }
  } catch {
    // A processor without instructions for several items at a time.
    return undefined
  }
}

let made: { readonly machine: Machine | undefined } | undefined
/** Made when it is first asked for. `undefined` where the host has no WebAssembly, or not this much of it. */
export const machine = (): Machine | undefined => (made ??= { machine: make() }).machine

/**
 * The budget of an evaluation: steps, memory, time. Evaluation is synchronous, and a process runs one at a time, so there is one budget, and every
 * loop of every primitive pays into it.
 *
 * Guarantees: a loop that calls `tick` for its work is stopped within about 16,384 steps by an interrupt or by the memory limit, and at once by the
 * step limit, at the same step on every machine; an allocation announced by `alloc` that exceeds the memory limit is a `wsfull` error before it is
 * made.
 *
 * Does not: measure memory itself; the host does.
 */
import { KError } from "./KError.ts"

export interface Budget {
  /** Should the evaluation stop? Called about every 16,384 steps. */
  readonly interrupted: () => boolean
  /** Bytes that one evaluation may hold; `Infinity` for no limit. */
  readonly memory: number
  /** Is there room for `bytes` more? Called rarely; with 0, about every 16,384 steps: are the bytes in use within the limit? */
  readonly room: (bytes: number) => boolean
  /**
   * Steps that one statement may take; `Infinity` for no limit. A step is one item of a primitive's loop, or one call; copying an item costs a
   * fraction of one.
   */
  readonly steps: number
  /** Steps that earlier statements took of the same allowance. */
  readonly before?: number
  /** Bytes that the evaluation may hold beyond those held at its beginning, when `memory` was derived from that. */
  readonly growth?: number
  /** Memory with arbitrary contents, for callers that write all of it; absent, all memory is filled with zeros. */
  readonly unfilled?: ((bytes: number) => ArrayBuffer) | undefined
}

const SLICE = 16384
/** Bytes announced between two questions to the host, or this part of the evaluation's growth. */
const PROBE = 8 * 1024 * 1024
const PART = 1 / 8

let limits: Budget = { interrupted: () => false, memory: Infinity, room: () => true, steps: Infinity }
let fuel = SLICE
/** The value of `fuel` when it was last filled: a slice, or the steps left. */
let filled = SLICE
let spent = 0
let announced = 0
let probeAt = PROBE
/** Bytes that are never freed. */
let permanent = 0

/** Begins a statement's budget. */
export const begin = (l: Budget): void => {
  limits = l
  spent = 0
  probeAt = Math.min(PROBE, PART * (l.growth ?? Infinity))
  fill()
}

const fill = (): void => {
  fuel = filled = Math.max(0, Math.min(SLICE, limits.steps - spent))
}

/** Steps of the statement until now. */
export const stepsTaken = (): number => spent + filled - fuel

/** Ends the step limit for the rest: wording an error must not be stopped by it. */
export const liftStepLimit = (): void => {
  spent += filled - fuel
  limits = { ...limits, steps: Infinity }
  fill()
}

/** Pays `n` steps; throws `break` when interrupted, `limit` when the steps are used up. */
export const tick = (n = 1): void => {
  if ((fuel -= n) < 0) refuel()
}

/** Steps paid at once by loops over items: some microseconds of work. */
export const BLOCK = 8192
/** Items that are moved at once. */
const PIECE = 1 << 16

/**
 * The first block is short: the engine optimises a loop by what it saw of it, and in its first call it does not see what comes before the
 * loop. Code that was made of that is dropped at the second call.
 */
const FIRST = 256

/** Calls `body` on ranges that cover the indices from 0 to n, paying for each range. They begin at multiples of `FIRST`. */
export const blocks = (n: number, body: (from: number, to: number) => void): void => {
  for (let i = 0, end = Math.min(n, FIRST); i < n; i = end, end = Math.min(n, i + BLOCK)) {
    tick(end - i)
    body(i, end)
  }
}

/** The same for a body that takes the result so far, beginning with `start`, and gives the next one. */
export const foldBlocks = (n: number, start: number, body: (so: number, from: number, to: number) => number): number => {
  let result = start
  blocks(n, (from, to) => {
    result = body(result, from, to)
  })
  return result
}

/** The same for a body that only moves items, which costs a quarter. */
const pieces = (n: number, body: (from: number, to: number) => void): void => {
  for (let i = 0; i < n; i += PIECE) {
    const end = Math.min(n, i + PIECE)
    tick((end - i) >> 2)
    body(i, end)
  }
}

/** Does `work` for the places from 0 to n, block by block. Where the work is a few machine instructions, `blocks` around a loop is faster. */
export const inBlocks = (n: number, work: (i: number) => void): void =>
  blocks(n, (i, end) => {
    for (; i < end; i++) work(i)
  })

/** Writes each item of an array, and gives the array. */
export const filledBy = <A extends Items>(out: A, item: (i: number) => number): A => {
  inBlocks(out.length, (i) => (out[i] = item(i)))
  return out
}

/** Does `holds` give true for all items? Pays for the items. */
export const holdsForAll = <A>(items: readonly A[], holds: (x: A) => boolean): boolean => {
  const n = items.length
  for (let i = 0; i < n; i++) {
    if (i % BLOCK === 0) tick(Math.min(BLOCK, n - i) >> 2)
    if (!holds(items[i]!)) return false
  }
  return true
}

type Items = Int32Array | Float64Array | Uint8Array

/** Few items are copied faster one by one than by the engine's block copy, which also needs a view of them. */
const FEW = 64

/** Copies the items of `from` in [start, end) into `out`, from index `at` on; gives `out`. */
export const transfer = <A extends Items>(out: A, at: number, from: Items, start = 0, end = from.length): A => {
  const n = end - start
  if (n <= FEW) {
    tick(n >> 2)
    for (let i = 0; i < n; i++) out[at + i] = from[start + i]!
  } else pieces(n, (i, to) => out.set(to - i === from.length ? from : from.subarray(start + i, start + to), at + i))
  return out
}

/** Copies some items of a list. */
export const itemsOf = <A>(items: readonly A[], from = 0, to = items.length): A[] => {
  const n = to - from
  alloc(8 * n)
  if (n <= PIECE) {
    tick(n >> 2)
    return items.slice(from, to)
  }
  const out: A[] = []
  blocks(n, (i, end) => {
    for (; i < end; i++) push(out, items[from + i]!)
  })
  return out
}

/** Copying a list of fewer items takes no noticeable time. */
const LONG = 1 << 16

/** Pushes an item onto a list. For a long list it announces the copy that the engine makes when the list is full. */
export const push = <A>(list: A[], x: A): void => {
  const n = list.length
  // Announced at every sixteenth to eighth of its length, since nothing tells when a list is full.
  if (n >= LONG && (n & ((1 << (28 - Math.clz32(n))) - 1)) === 0) alloc(16 * n)
  list.push(x)
}

/** Fills the indices from `from` up to `to` with one value. */
export const fillWith = (out: Items, value: number, from: number, to: number): void =>
  pieces(to - from, (i, end) => out.fill(value, from + i, from + end))

const refuel = (): void => {
  spent += filled - fuel
  fill()
  if (limits.interrupted()) throw new KError("break")
  if (spent > limits.steps) throw new KError("steps", { what: "steps", most: limits.steps, before: limits.before ?? 0 })
  if (!limits.room(0))
    throw new KError("wsfull", { what: "held", most: Math.floor(limits.memory), growth: limits.growth, symbols: symbols() })
}

/** For fewer bytes, filling with zeros costs less than asking the host. */
const LARGE = 4096

/** Announces the bytes; gives memory for them, or the count of items when the array is to be made of zeros. */
const unfilled = (n: number, bytes: number): ArrayBuffer | number => {
  alloc(bytes)
  return bytes < LARGE || limits.unfilled === undefined ? n : limits.unfilled(bytes)
}

/** Arrays for callers that write every item; until then items are arbitrary. Their memory is announced. */
export const unfilledInts = (n: number): Int32Array => new Int32Array(unfilled(n, 4 * n) as number)
export const unfilledFloats = (n: number): Float64Array => new Float64Array(unfilled(n, 8 * n) as number)
export const unfilledBytes = (n: number): Uint8Array => new Uint8Array(unfilled(n, n) as number)

/** Announces `n` bytes about to be allocated; throws `wsfull` when the memory limit does not leave them. */
export const alloc = (n: number): void => {
  announced += n
  if (n > limits.memory || announced > probeAt) probe(n)
}

/** As `alloc`, for bytes that are never freed. */
export const allocForGood = (n: number): void => {
  alloc(n)
  permanent += n
}

const probe = (n: number): void => {
  announced = 0
  if (n > limits.memory || !limits.room(n))
    throw new KError("wsfull", { what: "bytes", asked: n, growth: limits.growth, symbols: symbols() })
}

/** The bytes of symbols, when they are a large part of the limit. */
const symbols = (): number | undefined => (permanent > limits.memory / 4 ? permanent : undefined)

/**
 * What an evaluation may spend: steps, memory, time. Evaluation is synchronous and one at a time in a process, so there is one
 * budget, and every loop of every primitive pays into it.
 *
 * Guarantees: a loop that calls `tick` for its work is stopped by an interrupt within about 16,384 steps, by the step limit
 * exactly, and an allocation announced by `alloc` that exceeds the memory limit is a `wsfull` error before it is made.
 * Does not: measure memory that was not announced.
 */
import { KError } from "./KError.ts"

export interface Limits {
  /** True when the evaluation was asked to stop. Called about every 16,384 steps. */
  readonly interrupted: () => boolean
  /** Bytes one evaluation may hold; `Infinity` for none. */
  readonly memory: number
  /** Bytes in use now, as far as the host can tell; asked rarely. */
  readonly memoryUsed: () => number
  /** Steps one statement may take; `Infinity` for none. A step is one item of one primitive's loop, or one call. */
  readonly steps: number
}

const SLICE = 16384
const PROBE = 32 * 1024 * 1024

let limits: Limits = { interrupted: () => false, memory: Infinity, memoryUsed: () => 0, steps: Infinity }
let fuel = SLICE
let spent = 0
let announced = 0

/** Starts a statement's budget. */
export const begin = (l: Limits): void => {
  limits = l
  fuel = SLICE
  spent = 0
  announced = 0
}

/** Pays `n` steps; throws `break` when interrupted, `limit` when the steps are used up. */
export const tick = (n = 1): void => {
  if ((fuel -= n) < 0) refuel()
}

/** Steps paid at once by loops over items: some microseconds of work. */
export const BLOCK = 8192
/** Items that are moved at once. */
const PIECE = 1 << 16

/** Calls `body` on ranges that cover the places from 0 to n, paying for each. */
export const blocks = (n: number, body: (from: number, to: number) => void): void => {
  for (let i = 0; i < n; i += BLOCK) {
    const end = Math.min(n, i + BLOCK)
    tick(end - i)
    body(i, end)
  }
}

type Items = Int32Array | Float64Array | Uint8Array

/** Copies `from` into `out`, to stand from place `at` on. */
export const transfer = (out: Items, at: number, from: Items): void => {
  const n = from.length
  if (n <= PIECE) {
    tick(n >> 2)
    out.set(from, at)
    return
  }
  for (let i = 0; i < n; i += PIECE) {
    tick(PIECE >> 2)
    out.set(from.subarray(i, i + PIECE), at + i)
  }
}

/** Some items of a list, copied. */
export const itemsOf = <A>(items: readonly A[], from = 0, to = items.length): A[] => {
  alloc(8 * (to - from))
  if (to - from <= PIECE) {
    tick((to - from) >> 2)
    return items.slice(from, to)
  }
  const out: A[] = []
  for (let i = from; i < to; i++) {
    if ((i & 8191) === 0) tick(8192)
    out.push(items[i]!)
  }
  return out
}

/** Fills the places from `from` up to `to` with one value. */
export const fillWith = (out: Items, value: number, from: number, to: number): void => {
  for (let i = from; i < to; i += PIECE) {
    const end = Math.min(to, i + PIECE)
    tick((end - i) >> 2)
    out.fill(value, i, end)
  }
}

const refuel = (): void => {
  spent += SLICE - fuel
  fuel = SLICE
  if (limits.interrupted()) throw new KError("break")
  if (spent > limits.steps) throw new KError("limit", `more than ${limits.steps} steps`)
}

/** Announces `n` bytes about to be allocated; throws `wsfull` when that is more than the memory limit leaves. */
export const alloc = (n: number): void => {
  announced += n
  if (n > limits.memory || announced > PROBE) probe(n)
}

const probe = (n: number): void => {
  announced = 0
  if (n + limits.memoryUsed() > limits.memory) throw new KError("wsfull", `${n} bytes asked`)
}

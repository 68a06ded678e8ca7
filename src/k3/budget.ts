/**
 * What an evaluation may spend: steps, memory, time. Evaluation is synchronous and one at a time in a process, so there is one
 * budget, and every loop of every primitive pays into it.
 *
 * Guarantees: a loop that calls `tick` for its work is stopped by an interrupt within about 10 ms of work, by the step limit
 * exactly, and an allocation announced by `alloc` that exceeds the memory limit is a `wsfull` error before it is made.
 * Does not: measure memory that was not announced.
 */
import { KError } from "./KError.ts"

export interface Limits {
  /** True when the evaluation was asked to stop. Called about every 65,536 steps. */
  readonly interrupted: () => boolean
  /** Bytes one evaluation may hold; `Infinity` for none. */
  readonly memory: number
  /** Bytes in use now, as far as the host can tell; asked rarely. */
  readonly memoryUsed: () => number
  /** Steps one statement may take; `Infinity` for none. A step is one item of one primitive's loop, or one call. */
  readonly steps: number
}

const SLICE = 65536
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

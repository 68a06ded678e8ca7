/** `f?y` and `?[f;y;guess]`: the argument near a guess for which a function of numbers gives y, by the secant method. */
import { tick } from "../run/budget.ts"
import type { Kernel } from "../run/kernel.ts"
import { KError } from "../run/KError.ts"
import { wrongType } from "../run/mismatch.ts"
import { apart } from "../values/ownership.ts"
import { each } from "./atomic.ts"
import { Float, isAtom, typeOf, type Value } from "../values/value.ts"

const DEFAULT_GUESS = 0.9999
const ITERATIONS = 1000

const number = (x: Value): number => {
  if (typeof x === "number") return x
  if (typeOf(x) === 2) return (x as Float).v
  throw wrongType("a function is inverted on numbers", x)
}

/** For a list y, item by item. Throws `limit` when the search does not converge. */
export const inverse = (f: Value, y: Value, guess: Value | undefined, k: Kernel): Value => {
  if (typeOf(f) < 4) throw wrongType("?[f;y;x] inverts a function", f)
  return isAtom(y) ? search(f, y, guess, k) : apart(() => each(y, (target) => inverse(f, target, guess, k)))
}

const search = (f: Value, y: Value, guess: Value | undefined, k: Kernel): Value => {
  const target = number(y)
  const at = (x: number): number => number(k.apply(f, [new Float(x)])) - target
  let a = guess === undefined ? DEFAULT_GUESS : number(guess)
  let fa = at(a)
  let b = a === 0 ? 1e-4 : a * (1 + 1e-4)
  let fb = at(b)
  for (let i = 0; i < ITERATIONS; i++) {
    tick()
    if (fb === 0) return new Float(b)
    const slope = (fb - fa) / (b - a)
    const next = b - fb / slope
    if (!Number.isFinite(next)) break
    if (Math.abs(next - b) <= 1e-15 * Math.max(1, Math.abs(next))) return new Float(next)
    a = b
    fa = fb
    b = next
    fb = at(b)
  }
  if (Math.abs(fb) < 1e-9 * Math.max(1, Math.abs(target))) return new Float(b)
  throw new KError("limit", "no argument found near the guess")
}

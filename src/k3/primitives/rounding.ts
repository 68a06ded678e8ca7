/**
 * Quotients, remainders and powers of two numbers, and the floor of a number.
 *
 * Guarantees: a remainder lies between 0 and its divisor, and has the divisor's sign, whatever the size of the numbers. `floatMod` and
 * `floatDiv` agree: the divisor times the quotient, plus the remainder, is the dividend.
 *
 * Tolerance. Decimal fractions are rarely exact, so `0.3!0.1` is to be 0 and `_ 0.3%0.1` 3. A value that lies below an int by a relative
 * 3 * 2^-52 or less, the error of a few roundings, has that int as its floor, and so has a positive value whose fraction equals 1 with the
 * tolerance of comparison. That tolerance for the whole value would lift 1999999999.9999.
 * A remainder is 0 when it is as near to 0 or to the divisor as the tolerance of comparison allows for numbers of the size of both, or
 * within the rounding error of the dividend. The remainder of two whole numbers is exact.
 */
import { TOLERANCE } from "../values/tolerance.ts"
import { INF_INT, NULL_INT } from "../values/value.ts"

const SLACK = 3 * Number.EPSILON

/** The largest int not above a float, with tolerance; 0n is 0N, a float that is too large 0I, one that is too small -0I. */
export const floor = (a: number): number => {
  if (a !== a) return NULL_INT
  if (a >= INF_INT) return INF_INT
  if (a <= -INF_INT) return -INF_INT
  const up = Math.ceil(a)
  return (up - a <= Math.max(SLACK * Math.abs(a), a > 0 ? TOLERANCE : 0) ? up : Math.floor(a)) | 0
}

/** x mod y on floats; x mod 0 is x. */
export const floatMod = (a: number, b: number): number => {
  if (b === 0) return a
  const r = a % b
  const between = r !== 0 && r < 0 !== b < 0 ? r + b : r
  // A small dividend is its own remainder, however large the divisor.
  const size = Number.isFinite(b) ? Math.min(Math.abs(b), Math.max(Math.abs(a), 1)) : Infinity
  const slack = Number.isInteger(a) && Number.isInteger(b) ? 0 : Math.max(TOLERANCE * size, Number.EPSILON * Math.abs(a))
  return Math.abs(between) <= slack || Math.abs(b - between) <= slack ? 0 : between
}

/** x mod y on ints; x mod 0 is x. */
export const intMod = (a: number, b: number): number => {
  if (b === 0) return a
  const r = (a % b) | 0
  return r !== 0 && (r ^ b) < 0 ? r + b : r
}

/**
 * `intMod` by a positive int, by multiplying with its inverse. The inverse is a little too large, so that a multiple of b never falls short of its
 * quotient; other ints do not reach the next quotient, since they are 1/b below it and the error is less than 2^-18 of that.
 */
export const intModPositive = (a: number, b: number): number => {
  const inverse = (1 / b) * (1 + 2 ** -50)
  const r = (a - Math.imul((a * inverse) | 0, b)) | 0
  return r + ((r >> 31) & b)
}

/** The int quotient whose remainder is `floatMod`; `floor` of the quotient when there is none. */
export const floatDiv = (a: number, b: number): number =>
  floor(b === 0 || !Number.isFinite(a) ? a / b : Math.round((a - floatMod(a, b)) / b))

/** The quotient whose remainder is `intMod`, wrapping; by zero 0I, -0I or 0N. */
export const intDiv = (a: number, b: number): number => (b === 0 ? floor(a / b) : Math.floor(a / b) | 0)

/** As in C: JavaScript differs where x is 1 or -1 and y is not finite. */
export const power = (a: number, b: number): number => (a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : Math.pow(a, b))

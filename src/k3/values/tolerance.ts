/**
 * Equality of floats in K, and ints as floats.
 *
 * Guarantees: floats are near when they differ by a relative 2^-43, about 1.1e-13, or less; 0n is near 0n only, and an infinity itself only.
 */

/** The relative difference up to which two floats are equal. */
export const TOLERANCE = 2 ** -43

/** Are two floats equal in K: identical, both 0n, or within the tolerance? */
export const near = (a: number, b: number): boolean => {
  if (a === b) return true
  const d = Math.abs(a - b)
  // Not by `Math.max`, whose branch takes most of the time on random numbers.
  if (d > TOLERANCE * Math.abs(a) && d > TOLERANCE * Math.abs(b)) return false
  return d < Infinity || (a !== a && b !== b)
}

/** An int as a float: 0N becomes 0n, 0I and -0I become 0i and -0i. */
export const widen = (a: number): number =>
  ((a + 1) | 0) < -2147483645 ? (a === 2147483647 ? Infinity : a === -2147483648 ? NaN : -Infinity) : a

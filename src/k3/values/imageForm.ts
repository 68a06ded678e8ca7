/** The constants of binary images, for the writer and the reader. */

/** The type of a function in an image. */
export const FUNCTION = 10
/** Nested values at most. */
export const DEEPEST = 1000

/** Rounds up to a multiple of 8, where items of lists begin. */
export const padded = (n: number): number => (n + 7) & ~7

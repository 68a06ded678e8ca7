/** The form of binary images, as writing and reading share it. */

/** The type of a function in an image. */
export const FUNCTION = 10
/** Values within values, and no more. */
export const DEEPEST = 1000

/** Items of lists begin at multiples of 8. */
export const padded = (n: number): number => (n + 7) & ~7

/** The form of binary images, as writing and reading share it. */
import { blocks } from "../run/budget.ts"

/** The type of a function in an image. */
export const FUNCTION = 10
/** Values within values, and no more. */
export const DEEPEST = 1000

/** Items of lists begin at multiples of 8. */
export const padded = (n: number): number => (n + 7) & ~7

/** Work for each of `n` items, paid for block by block, so that an interrupt is heard in between. */
export const inBlocks = (n: number, work: (i: number) => void): void =>
  blocks(n, (i, end) => {
    for (; i < end; i++) work(i)
  })

/**
 * The loops of folds and scans over numbers, made as those of `loops.ts` are.
 *
 * Guarantees: a fold of ints that has lanes gives the same there. Steps are paid in blocks.
 */
import { foldBlocks, tick } from "../run/budget.ts"
import { overInLanes, scanInLanes, suitsLanes, type LaneFold } from "./lanes.ts"
import { placeLoop, type Items } from "./loops.ts"

export type FoldLoop = (v: Items, start: number, from: number, to?: number) => number

/** Folds `expression`, of `s` (the result so far) and `a` (the next item), over some items. `lanes`: the same fold of ints in lanes. */
export const foldLoop = (expression: string, lanes?: LaneFold): FoldLoop => {
  const fold = placeLoop<(v: Items, s: number, i: number, end: number) => number>(
    "v, s",
    (i) => `const a = v[${i}]; s = ${expression}`,
    "s",
  )
  return (v, start, from, to = v.length) => {
    if (!suitsLanes(to - from)) {
      tick(to - from)
      return fold()(v, start, from, to)
    }
    const [result, left] = lanes === undefined ? [start, from] : overInLanes(lanes, v as Int32Array, start, from, to)
    return foldBlocks(to - left, result, (s, i, end) => fold()(v, s, left + i, left + end))
  }
}

export type ScanLoop = (v: Items, start: number, from: number, out: Items, at: number) => void

/** As `foldLoop`, with each step written to `out` from place `at` on. */
export const scanLoop = (expression: string, lanes?: LaneFold): ScanLoop => {
  const scan = placeLoop<(v: Items, s: number, out: Items, o: number, i: number, end: number) => number>(
    "v, s, out, o",
    (i) => `const a = v[${i}]; out[o++] = s = ${expression}`,
    "s",
  )
  return (v, start, from, out, at) => {
    if (lanes !== undefined && suitsLanes(v.length)) return scanInLanes(lanes, v as Int32Array, start, from, out as Int32Array, at)
    foldBlocks(v.length - from, start, (s, i, to) => scan()(v, s, out, at + i, from + i, from + to))
  }
}

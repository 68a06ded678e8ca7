/**
 * The rule by which a value may be changed in place:
 *
 * 1. An amendment changes a value in place when every holder on the path owns its value: the variable its value, each list or
 *    dictionary the item on the path. Otherwise it copies.
 * 2. A holder becomes the owner only of a value that an amendment stores and has just made, or of the result of a `fresh`
 *    verb that an assignment stores and that nothing else gets.
 * 3. A holder owns its value no more once the value was read to be kept: returned, stored, passed on, captured, indexed out.
 *    After that, no holder owns that value again.
 * 4. A short read (an operand of a `fresh` verb, the list that is indexed) leaves the owner. Other code that runs during such a
 *    read runs `apart`: there no earlier value is owned.
 * 5. A copy owns none of its items, so nothing below a value that was read is changed in place either.
 *
 * Guarantees: only this module and the code that it generates for the compiler read or write owner marks.
 * Does not: copy or change values; `amend.ts` and `append.ts` do, and report the values that they made.
 */
import type { VerbRow } from "../primitives/Row.ts"
import { AT_HOME, List, type Value, type Vector } from "./value.ts"

declare const isMark: unique symbol
/** A variable has a mark beside its value. It owns the value while its mark is the current one. */
export type OwnerMark = number & { readonly [isMark]: true }

export const NOBODY = 0 as OwnerMark
/** Never equal to itself: while it is current, nothing is owned. */
const NEVER = Number.NaN as OwnerMark

let last = 1
/** The current mark. It is in an object, so that generated code sees it change. */
export const ownership = { now: last as OwnerMark }

export const isOwned = (mark: OwnerMark): boolean => mark === ownership.now

const withMark = <A>(mark: OwnerMark, work: () => A): A => {
  const before = ownership.now
  ownership.now = mark
  try {
    return work()
  } finally {
    ownership.now = before
  }
}

/** Runs other code during a read. That code owns only values that it makes itself. */
export const apart = <A>(work: () => A): A => withMark(isOff() ? NEVER : (++last as OwnerMark), work)

/** For tests: runs work in which every amendment copies. */
export const withoutOwnership = <A>(work: () => A): A => withMark(NEVER, work)

export const isOff = (): boolean => ownership.now !== ownership.now

/** The value of a global variable, with its mark. A local has two variables of generated code instead. */
export abstract class Holder {
  readonly value: Value | undefined = undefined
  private owner: OwnerMark = NOBODY
  get ownerMark(): OwnerMark {
    return this.owner
  }
  /** Assigns a value that something else may hold too. */
  assign(value: Value | undefined): void {
    this.amended(value, NOBODY)
  }
  /** Assigns the result of an amendment. */
  amended(value: Value | undefined, mark: OwnerMark): void {
    ;(this as { value: Value | undefined }).value = value
    this.owner = mark
  }
  /** Reads the value for a caller that may keep it, which ends ownership. */
  share(): Value | undefined {
    if (this.owner !== NOBODY) this.owner = NOBODY
    return this.value
  }
}

/** The mark of a variable after `amend` made `result` of its value x: a result other than x was just made. */
export const markAfter = (result: Value, x: Value, mark: OwnerMark): OwnerMark => (result === x ? mark : ownership.now)

/**
 * The mark of a variable that held x, after `x,y` gave `result`. The variable does not own a result that is x or y, unless it owned x, nor one in the
 * same buffer as an x that others hold.
 */
export const markAfterJoin = (result: Value, x: Value, mark: OwnerMark, y: Value): OwnerMark =>
  ownsJoined(result, x, isOwned(mark), y) ? ownership.now : NOBODY

const ownsJoined = (result: Value, x: Value, own: boolean, y: Value): boolean => {
  if (typeof result === "number" || result.t > 0 || result === y) return false
  if (own || result === x) return own
  if (result instanceof List || typeof x === "number" || x.t >= 0) return true
  const { v } = x as Vector
  return v.byteLength <= AT_HOME || v.buffer !== (result as Vector).v.buffer
}

/** The owner of an item: the list or dictionary that may change it. */
interface Item {
  owner?: object | undefined
}

/** Does the list or dictionary own its item x? It may be changed when the container may. */
export const ownsItem = (container: object, x: Value): boolean => (x as Item).owner === container

/** After an amendment of an item: the container owns the new item if the amendment made it, that is, if it is not `before`. */
export const claimAmended = (container: object, item: Value, before: Value): void => {
  if (item !== before) (item as Item).owner = container
}

/** As `claimAmended`, after `before,y`. `own`: the container owned `before` and could change it. */
export const claimJoined = (container: object, item: Value, before: Value, own: boolean, y: Value): void => {
  if (ownsJoined(item, before, own, y)) (item as Item).owner = container
}

/** Shares an item with a caller that may keep it: the container owns it no more. */
export const handOut = (x: Value): Value => {
  if (typeof x !== "number" && (x as Item).owner !== undefined) (x as Item).owner = undefined
  return x
}

/** May a value be changed at several places while this verb runs? Only if the verb runs no code that could read the value meanwhile. */
export const runsNothing = (verb: VerbRow | undefined): boolean => verb !== undefined && verb.runsCode !== true

/** The marks in generated code. `mark`: the code of a variable's mark; `owner`: the code of `ownership`. */
export const generated = {
  nobody: "0",
  local: (name: string): string => `o$${name}`,
  global: (cell: string): string => `${cell}.owner`,
  share: (mark: string): string => `${mark}=0;`,
  amended: (owner: string, result: string, x: string, mark: string): string => `${result}===${x}?${mark}:${owner}.now`,
  // The mark is written first: its expression may read the old value.
  assign: (cell: string, value: string, mark: string): string => `${cell}.owner=${mark};${cell}.value=${value};`,
  // No atom is new: `+\d` of a dictionary is the dictionary itself.
  made: (replaced: string, value: string, x: string, mark: string): string =>
    `typeof ${value}==="number"||${value}.t>0?0:${replaced}(${x},${mark})`,
} as const

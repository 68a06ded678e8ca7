/**
 * Who may change a value in place. The rule:
 *
 * 1. An amendment changes a value in place when every holder on the way to it owns what it holds: the variable its value, each list or
 *    dictionary the item that leads on. Otherwise it copies.
 * 2. A holder comes to own a value only when an amendment puts there what it has just made itself, or an assignment the result of a `fresh`
 *    verb that nobody else is given.
 * 3. A holder owns it no more once it was read to be kept: returned, stored, passed on, captured, indexed out. Nobody owns it again.
 * 4. Reading it for a moment (an operand of a `fresh` verb, the list that is indexed) takes nothing away; code of others that runs within
 *    that moment runs `apart`, where nothing from before is owned.
 * 5. A copy owns none of its items, so what is below a value that was read is never changed in place either.
 *
 * Guarantees: only this module and the code it spells for the compiler read or write the marks of owners.
 * Does not: copy or change values; `amend.ts` and `append.ts` do, and say what they made.
 */
import type { VerbRow } from "../primitives/Row.ts"
import { AT_HOME, List, type Value, type Vector } from "./value.ts"

declare const isMark: unique symbol
/** A variable has a mark beside its value. It owns the value while its mark is the current one. */
export type OwnerMark = number & { readonly [isMark]: true }

export const NOBODY = 0 as OwnerMark
/** Never equal to itself: with it nothing is owned. */
const NEVER = Number.NaN as OwnerMark

let last = 1
/** The current mark. An object, so that generated code sees it change. */
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

/** Runs code that may be anything while values are being read. The code owns only values that it makes itself. */
export const apart = <A>(work: () => A): A => withMark(isOff() ? NEVER : (++last as OwnerMark), work)

/** For tests: runs work in which every amendment copies. */
export const withoutOwnership = <A>(work: () => A): A => withMark(NEVER, work)

export const isOff = (): boolean => ownership.now !== ownership.now

/** A global variable. A local one is two variables of generated code. */
export abstract class Holder {
  readonly value: Value | undefined = undefined
  private owner: OwnerMark = NOBODY
  get ownerMark(): OwnerMark {
    return this.owner
  }
  /** Assigns a value that somebody else may hold too. */
  assign(value: Value | undefined): void {
    this.amended(value, NOBODY)
  }
  /** Assigns the result of an amendment. */
  amended(value: Value | undefined, mark: OwnerMark): void {
    ;(this as { value: Value | undefined }).value = value
    this.owner = mark
  }
  /** Reads the value for a reader that may keep it, which ends ownership. */
  share(): Value | undefined {
    if (this.owner !== NOBODY) this.owner = NOBODY
    return this.value
  }
}

/** The mark of a variable after `amend` made `result` of its value x: a result that is not x was just made. */
export const markAfter = (result: Value, x: Value, mark: OwnerMark): OwnerMark => (result === x ? mark : ownership.now)

/**
 * The mark of a variable that held x after `x,y` gave `result`. That was not made by it where it is x or y, and is not its alone where it
 * lies in the same buffer as an x that somebody else holds.
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

/** An item of a list or dictionary notes which one owns it. */
interface Item {
  owner?: object | undefined
}

/** Does the list or dictionary own its item x? It may be changed when the container may. */
export const ownsItem = (container: object, x: Value): boolean => (x as Item).owner === container

/** After an amendment of an item: the container owns the new item if the amendment made it, that is, if it is not `before`. */
export const claimAmended = (container: object, item: Value, before: Value): void => {
  if (item !== before) (item as Item).owner = container
}

/** The same after `before,y`; `own`: the item was owned before, and could be changed. */
export const claimJoined = (container: object, item: Value, before: Value, own: boolean, y: Value): void => {
  if (ownsJoined(item, before, own, y)) (item as Item).owner = container
}

/** Hands out an item, to be kept. */
export const handOut = (x: Value): Value => {
  if (typeof x !== "number" && (x as Item).owner !== undefined) (x as Item).owner = undefined
  return x
}

/** May a value be changed at several places while this verb runs? Only if that runs no code which might read the value meanwhile. */
export const runsNothing = (verb: VerbRow | undefined): boolean => verb !== undefined && verb.runsCode !== true

/** How generated code keeps marks: `mark` is the text of where a variable has its own, `owner` that of `ownership`. */
export const generated = {
  nobody: "0",
  local: (name: string): string => `o$${name}`,
  global: (cell: string): string => `${cell}.owner`,
  share: (mark: string): string => `${mark}=0;`,
  amended: (owner: string, result: string, x: string, mark: string): string => `${result}===${x}?${mark}:${owner}.now`,
  // The mark first: its expression may look at the value before.
  assign: (cell: string, value: string, mark: string): string => `${cell}.owner=${mark};${cell}.value=${value};`,
  made: (replaced: string, value: string, x: string, mark: string): string => `typeof ${value}==="number"?0:${replaced}(${x},${mark})`,
} as const

/**
 * Which evaluations of a session ran on a machine that is gone and are not in what its next owner restored. Pure.
 *
 * A session's variables and its history are written about a second late, so the database alone does not know the last evaluations; the front
 * ends, which were answered, do. Guarantees: a number is named once for each owner. Does not: know evaluations that neither the database nor a
 * front end that asked this owner has heard of.
 */

/** What an owner knows of those before it. */
export interface Before {
  /** Its epoch. */
  readonly epoch: number
  /** Numbers up to this one are in what was restored, or were named as missing; undefined until the session is opened. */
  readonly known: number | undefined
}

/** A number in the history that a front end was told by the owner of that epoch. */
export interface Told {
  readonly number: number
  readonly epoch: number
}

/**
 * `contained`: the number of the latest history entry that what was restored has; undefined when that is not known, and nothing in the
 * database tells of a loss. `stored`: the last number in the stored history; both count when the session is opened.
 */
export const missingOf = (
  { epoch, known }: Before,
  { contained, stored, told }: { readonly contained: number | undefined; readonly stored: number; readonly told: Told | undefined },
): { readonly known: number; readonly missing: readonly [from: number, to: number] | undefined } => {
  const from = known ?? contained ?? stored
  const ran = Math.max(from, known === undefined ? stored : 0, told !== undefined && told.epoch < epoch ? told.number : 0)
  return { known: ran, missing: ran > from ? [from + 1, ran] : undefined }
}

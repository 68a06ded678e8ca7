/**
 * The evaluations of a session that ran on a lost machine and are not in the variables that the next owner restored. Pure.
 *
 * A session's variables and its history are written about a second late, so the database alone does not know the last evaluations; the front
 * ends that got their answers do. Guarantees: each owner names a number once. Does not: know an evaluation that neither the database nor a front
 * end that asked this owner knows.
 */

/** An owner, and the evaluations of earlier owners that need no more naming. */
export interface Before {
  /** The epoch of the owner. */
  readonly epoch: number
  /** Evaluations up to this number are in the restored variables or were named as missing; undefined before the first comparison. */
  readonly known: number | undefined
}

/** A history number that a front end was told under this epoch. */
export interface Told {
  readonly number: number
  readonly epoch: number
}

/**
 * `stored`: the last number in the stored history. `contained`: the number of the latest history entry whose changes the restored variables have;
 * when undefined, `stored` takes its place, so only `told` can show a loss. Both count in the first comparison of an owner only.
 */
export const missingOf = (
  { epoch, known }: Before,
  { contained, stored, told }: { readonly contained: number | undefined; readonly stored: number; readonly told: Told | undefined },
): { readonly known: number; readonly missing: readonly [from: number, to: number] | undefined } => {
  const from = known ?? contained ?? stored
  const ran = Math.max(from, known === undefined ? stored : 0, told !== undefined && told.epoch < epoch ? told.number : 0)
  return { known: ran, missing: ran > from ? [from + 1, ran] : undefined }
}

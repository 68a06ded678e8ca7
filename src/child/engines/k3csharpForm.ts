/** The form in which a value of K3CSharp is kept: an expression that decodes its image. */

/** The beginning of the expression; the image follows as integers. K3CSharp takes quadratic time for a string with many escapes. */
export const decoded = "_db _ci "
/** The printed texts of empty lists, and their types; `4:` gives -1 for all of them. */
export const empties: ReadonlyMap<string, number> = new Map([
  ["()", 0],
  ["!0", -1],
  ["0#0.0", -2],
  ['""', -3],
  ["0#`", -4],
])
/** Bytes of the largest image that is read or restored; it takes about 0.1 s. */
export const mostBytes = 256 * 1024

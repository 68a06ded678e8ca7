/** The form in which a value of K3CSharp is kept: an expression that decodes its image. */

/** The beginning of the expression; the image follows as integers. K3CSharp takes quadratic time for a string with many escapes. */
export const decoded = "_db _ci "
/** Bytes of the largest image that is read or restored; it takes about 0.1 s. */
export const mostBytes = 256 * 1024

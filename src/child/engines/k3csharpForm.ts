/** How a value of K3CSharp is held: the expression that makes it of its image, which is written in integers. */

/** It prints, and reads, a string with many escapes in time that grows with their square. */
export const decoded = "_db _ci "
/** Bytes of the largest image that is read or given: about 0.1 s. */
export const mostBytes = 256 * 1024

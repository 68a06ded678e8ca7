/** Why the operating system refused an operation on a file, in words. */
import type { PlatformError } from "effect/PlatformError"

const words: ReadonlyMap<string, string> = new Map([
  ["ENOSPC", "no space left on the disk"],
  ["EDQUOT", "no space left in the quota"],
  ["EROFS", "the disk is read only"],
  ["EACCES", "permission denied"],
  ["EPERM", "not permitted"],
  // Node's `rm` gives it for a file that is immutable, or in a sticky folder and of another user.
  ["ENOTDIR", "not permitted, or not in a folder"],
  ["EMFILE", "too many files are open"],
])

/** The code in the cause of an error: the operating system's, or that of a database. */
export const codeOf = ({ reason }: { readonly reason: { readonly cause?: unknown } }): string | undefined => {
  const code = (reason.cause as { readonly code?: unknown } | null | undefined)?.code
  return typeof code === "string" ? code : undefined
}

/** The reason in words, or the system's error code when there are none. */
export const systemReason = (error: PlatformError): string => {
  const code = codeOf(error) ?? error.reason._tag
  return words.get(code) ?? code
}

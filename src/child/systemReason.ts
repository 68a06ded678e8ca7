/** Why the operating system refused an operation on a file, in words. */
import type { PlatformError } from "effect/PlatformError"

const words: ReadonlyMap<string, string> = new Map([
  ["ENOSPC", "no space left on the disk"],
  ["EDQUOT", "no space left in the quota"],
  ["EROFS", "the disk is read only"],
  ["EACCES", "permission denied"],
  ["EPERM", "not permitted"],
  ["EMFILE", "too many files are open"],
])

/** The reason in words, or the system's error code when there are none. */
export const systemReason = ({ reason }: PlatformError): string => {
  const code = (reason.cause as { readonly code?: unknown } | undefined)?.code
  return typeof code === "string" ? (words.get(code) ?? code) : reason._tag
}

/** Bytes of files, their memory announced. Does not: look at them. */
import { alloc } from "./budget.ts"
import type { Host } from "../Host.ts"

/** At most `most` bytes of a file from `first` on, their memory announced. Nothing else holds them. */
export const bytesIn = (path: string, { files }: Host, first = 0, most = Infinity): Uint8Array => {
  const n = Math.max(0, Math.min(most, files.size(path) - first))
  alloc(n)
  return files.read(path, first, n)
}

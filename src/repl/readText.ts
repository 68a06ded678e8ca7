/**
 * Reads a script or a file of cases that the command line names: a file, a pipe or a device.
 *
 * Guarantees: reading an endless device ends in an error. Does not: read more than `MOST` bytes.
 */
import { openSync, readSync } from "node:fs"
import { using } from "./inFolder.ts"

const MOST = 256 * 1024 ** 2
const CHUNK = 65536

/** The whole text. Throws a system error, or an error that says how to go on. */
export const readText = (path: string, encoding: "utf8" | "latin1"): string =>
  using(openSync(path, "r"), (file) => {
    const pieces: Buffer[] = []
    let n = 0
    for (;;) {
      const piece = Buffer.allocUnsafe(CHUNK)
      const read = readSync(file, piece)
      if (read === 0) return Buffer.concat(pieces).toString(encoding)
      pieces.push(piece.subarray(0, read))
      n += read
      if (n > MOST) throw new Error("it is endless, or longer than 256 MB; name a file with an end, or split this one")
    }
  })

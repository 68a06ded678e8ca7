/** Hashes and comparisons of secret texts. */
import { hash, timingSafeEqual } from "node:crypto"

export const sha256 = (text: string): Buffer => hash("sha256", text, "buffer")

/** Whether a text has that hash. Takes the same time for every given text. */
export const hasHash = (text: string, expected: Buffer): boolean => timingSafeEqual(sha256(text), expected)

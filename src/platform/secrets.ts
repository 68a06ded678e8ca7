/** Hashes and comparisons of secret texts. */
import { createHash, timingSafeEqual } from "node:crypto"

export const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Whether two texts are equal. Takes the same time for every given text. */
export const isSame = (given: string, own: string): boolean => timingSafeEqual(sha256(given), sha256(own))

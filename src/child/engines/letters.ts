/**
 * Decodes the texts of an image, which are byte strings, to letters. Pure. Does not: find chars beyond Latin-1 in strings of K3CSharp
 * (`k3csharpLetters.ts`).
 */
import * as Result from "effect/Result"

const lenient = new TextDecoder()
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The bytes of a byte string. */
export const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0))

/** Decodes a byte string as UTF-8; bytes that are no UTF-8 become U+FFFD. */
export const lettersOf = (text: string): string => lenient.decode(bytesOf(text))

/** Decodes UTF-8; undefined for other bytes. */
export const utf8Of = (text: string): string | undefined => Result.getOrUndefined(Result.try(() => strict.decode(bytesOf(text))))

/**
 * Decodes a symbol in K3CSharp's image. The image encodes its chars as UTF-8; in a symbol that the server restored, each char is itself a byte of
 * UTF-8.
 */
export const k3csharpSymbol = (text: string): string => {
  const letters = utf8Of(text) ?? text
  return (/^[\0-\xff]*$/.test(letters) ? utf8Of(letters) : undefined) ?? letters
}

/** The texts of an image, which are byte strings, as letters. Pure. Does not: know a char beyond Latin-1 in a string of K3CSharp (`k3csharpLetters.ts`). */
import * as Result from "effect/Result"

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0))

/** Undefined for bytes that are no UTF-8. */
export const utf8Of = (text: string): string | undefined => Result.getOrUndefined(Result.try(() => strict.decode(bytesOf(text))))

/** K3CSharp's images of symbols hold its letters in UTF-8; those it was given here are bytes each. */
export const k3csharpSymbol = (text: string): string => {
  const letters = utf8Of(text) ?? text
  return (/^[\0-\xff]*$/.test(letters) ? utf8Of(letters) : undefined) ?? letters
}

/**
 * Functions as they were written, by how K3CSharp prints them, which is without quotes and with blanks of its own. Pure.
 *
 * Guarantees: a text is given back only for a print that no other text heard here has; no more than `mostHeard` are held.
 */
import { parts } from "../../k3/text/scan.ts"

/** By `bare` print; `undefined` when two print alike. */
export type Written = Map<string, string | undefined>

const mostHeard = 1000

/** As it prints a function: without quotes and blanks. */
const bare = (code: string): string => code.replaceAll(/["\s]/g, "")
/** The same of a function as it was written: quotes in its strings are printed without the backslash. */
const printedOf = (text: string): string =>
  bare(
    Array.from(parts(text), ({ kind, start, end }) => {
      const part = text.slice(start, end)
      return kind === "string" ? part.replaceAll(/\\(["\\])/g, "$1") : part
    }).join(""),
  )

export const remember = (written: Written, text: string): void => {
  const key = printedOf(text)
  written.set(key, written.has(key) && written.get(key) !== text ? undefined : text)
}

/** A statement that defines one function is remembered. */
export const hear = (written: Written, statement: string): void => {
  const text = /^[^{]*?:\s*(\{[^]*\})\s*$/.exec(statement)?.[1]
  if (text !== undefined && written.size < mostHeard) remember(written, text)
}

export const recall = (written: Written, printed: string): string | undefined => written.get(bare(printed))

/** May this be the print of that text, or of that print? */
export const isPrintOf = (text: string, printed: string): boolean => [bare(text), printedOf(text)].includes(bare(printed))

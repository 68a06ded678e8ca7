/**
 * The original texts of functions, found by their printed form. K3CSharp prints a function on one line, without quotes, backquotes and escapes,
 * and with other blanks. Pure.
 *
 * Guarantees: a text is found only if no other noted text has the same printed form. At most `mostNoted` texts are noted from statements.
 */
import { parts } from "../../k3/text/scan.ts"
import { statements } from "../../k3/text/statements.ts"
import { unescaped } from "./k3csharpLetters.ts"

/** Original texts by bare printed form; `undefined` when two texts have the same one. */
export type WrittenForms = Map<string, string | undefined>

const mostNoted = 1000

/** A function's text as one line: without comments, and with `;` for the newlines that mean it. */
export const lineOf = (text: string): string =>
  text.includes("\n")
    ? statements(text)
        .map(({ wire }) => wire)
        .join(";")
    : text

/** A printed function without quotes and blanks, for comparison. */
const bare = (code: string): string => code.replaceAll(/["\s]/g, "")
/** The bare printed form of an original text: its strings lose their escapes, its symbols their backquotes. */
const printedOf = (text: string): string => {
  const line = lineOf(text)
  return bare(
    Array.from(parts(line), ({ kind, start, end }) => {
      const part = line.slice(start, end)
      return kind === "string" ? unescaped(part) : part.replaceAll("`", "")
    }).join(""),
  )
}

export const remember = (written: WrittenForms, text: string): void => {
  const key = printedOf(text)
  written.set(key, written.has(key) && written.get(key) !== text ? undefined : text)
}

/** Notes the functions that a statement assigns, those within other functions excepted. */
export const noteStatement = (written: WrittenForms, statement: string): void => {
  let depth = 0
  let begin = 0
  for (const { kind, start, end } of parts(statement)) {
    const brace = kind === "open" || kind === "close" ? statement[start] : undefined
    if (brace === "{" && depth++ === 0) begin = start
    const isWhole = brace === "}" && depth > 0 && --depth === 0
    const isAssigned = isWhole && statement.slice(0, begin).trimEnd().endsWith(":")
    if (isAssigned && written.size < mostNoted) remember(written, statement.slice(begin, end))
  }
}

export const recall = (written: WrittenForms, printed: string): string | undefined => written.get(bare(printed))

/** Whether `printed` may be the printed form of `text`, which may itself be a printed form. */
export const isPrintOf = (text: string, printed: string): boolean => [bare(text), printedOf(text)].includes(bare(printed))

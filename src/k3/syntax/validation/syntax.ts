/**
 * Finds the syntax errors of a statement, and continues after the first.
 *
 * After an error, the part to blame, up to the next `;` or bracket, is replaced by a literal of the same length, and the statement is read again, so
 * that offsets stay. Guarantees: linear work, since a statement is read a bounded number of times; never throws. Does not: continue after a bracket
 * that does not pair, since nothing after it is certain.
 */
import { tokens, type Token } from "../../text/lexer.ts"
import { Brackets, isCloser, isOpener } from "../../text/scan.ts"
import { SyntaxKError } from "../SyntaxKError.ts"
import type { Span } from "../../run/KError.ts"
import { parse } from "../parser.ts"
import { isSystemName } from "../Vocabulary.ts"
import { systemWords } from "../../primitives/systemTable.ts"
import { vocabulary } from "../../primitives/vocabulary.ts"
import { conditional, type Finding, type Parsed } from "./Finding.ts"
import { newcomers } from "./newcomers.ts"
import { nearest } from "../../text/nearest.ts"

/** Errors that are reported of one statement. */
const MOST = 8

const tokensOf = (text: string): Token[] => tokens(text, isSystemName(vocabulary()))

/** The part between separators that holds the token at an offset. */
const segmentAt = (list: readonly Token[], offset: number): Span | undefined => {
  const brackets = new Brackets<number>()
  let first = 0
  let segment: { readonly first: number; readonly depth: number } | undefined
  for (const [i, { kind, start }] of list.entries()) {
    const opener = kind === ":[" ? "[" : kind
    const ends = kind === ";" || kind === "end" || isCloser(kind)
    // An error at a separator is about the part before it.
    if (segment === undefined && start >= offset) segment = { first, depth: brackets.depth }
    if (ends && segment?.depth === brackets.depth)
      return i > segment.first ? { start: list[segment.first]!.start, end: list[i - 1]!.end } : undefined
    if (kind === ";") first = i + 1
    else if (isOpener(opener)) {
      brackets.open(opener, first)
      first = i + 1
    } else if (isCloser(kind)) first = brackets.close(kind)!.about
  }
  return undefined
}

const wordAt = (text: string, start: number): Span => ({ start, end: start + /^[\w.]*/.exec(text.slice(start, start + 256))![0].length })

/** The part to replace after an error; undefined when nothing after the error is certain. */
const blamed = (text: string, error: SyntaxKError): Span | undefined => {
  const { kind, span } = error
  // The text from such a number on has no tokens.
  if (error.says("number")) return wordAt(text, span.start)
  if (kind === "open" || kind === "deep" || error.says("closed-by")) return undefined
  if (error.says("not-assignable")) return { start: span.start, end: span.end + /^\s*:?/.exec(text.slice(span.end))![0].length }
  return kind === "parse" ? segmentAt(tokensOf(text), span.start) : span
}

/** The text with a span overwritten by `filler`; newlines stay. */
const without = (text: string, { start, end }: Span, filler: string): string =>
  text.slice(0, start) + text.slice(start, end).replaceAll(/[^\n]/g, filler) + text.slice(end)

const instead = (text: string, error: SyntaxKError): string | undefined => {
  const { kind, span } = error
  const word = text.slice(span.start, span.end)
  if (text[span.start] === ":" && /\s\?\s[^;]*\s$/.test(text.slice(Math.max(0, span.start - 200), span.start))) return conditional
  if (error.says("not-assignable")) return "a name of your own: letters, digits and _, a letter first"
  if (kind === "reserved") {
    const near = nearest(word, systemWords)
    return near === undefined
      ? (newcomers.get(word.slice(1)) ?? `_ ${word.slice(1)} with a blank, for the verb _`)
      : `${near}, or _ ${word.slice(1)} with a blank for the verb _`
  }
  if (/(?<!\w)'[^'"\n]*'/.test(text) && kind !== "open") return 'strings stand in double quotes: "text"'
  return undefined
}

const findingOf = (text: string, error: SyntaxKError): Finding => ({
  severity: "error",
  code: error.kname,
  message: error.hint,
  span: error.closer ?? error.span,
  ...((error.closer !== undefined || error.kind === "open") && { opened: error.span.start }),
  instead: instead(text, error),
})

const overlaps = (a: Span, b: Span): boolean => a.start < b.end && b.start < a.end

/** The errors of a statement. `parsed` is present when the statement, its wrong parts replaced, could be parsed. */
export const readStatement = (source: string): { readonly findings: readonly Finding[]; readonly parsed: Parsed | undefined } => {
  const findings: Finding[] = []
  const aside: Span[] = []
  let text = source
  for (;;) {
    try {
      const list = tokensOf(text)
      return { findings, parsed: { source: text, tokens: list, tree: parse(text, vocabulary()) } }
    } catch (error) {
      if (error instanceof RangeError) {
        const span = { start: 0, end: 1 }
        return { findings: [...findings, { severity: "error", code: "stack", message: "nested too deeply", span }], parsed: undefined }
      }
      if (!(error instanceof SyntaxKError)) throw error
      if (aside.some((span) => overlaps(span, error.span))) return { findings, parsed: undefined }
      findings.push(findingOf(text, error))
      const span = findings.length < MOST ? blamed(text, error) : undefined
      if (span === undefined || span.end <= span.start) return { findings, parsed: undefined }
      aside.push(span)
      const blank = error.kind === "character" || error.kind === "unmatched" || error.says("not-assignable")
      text = without(text, span, blank ? " " : "0")
    }
  }
}

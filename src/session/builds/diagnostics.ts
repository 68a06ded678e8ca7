/**
 * Reads errors and warnings from a compiler's output: in MSBuild's form, and in the form `file:line:column: error: text` of most others. Pure.
 *
 * Guarantees: a message that is printed twice, as in MSBuild's summary, counts once. Memory is bounded. Does not: read more than the first
 * line of a message.
 */
import { shortened } from "../../shortened.ts"

export interface Diagnostic {
  readonly severity: "error" | "warning"
  /** The file in the compiler's words; the name of a tool, such as MSBUILD, when the message has no file. */
  readonly file: string
  /** Line and column, from 1. */
  readonly line?: number
  readonly column?: number
  /** For example `CS1002`. */
  readonly code?: string
  readonly text: string
}

/** `Program.cs(12,34): error CS1002: ; expected [/p/p.csproj]`, `p.csproj : error NU1101: …`; a place may be a range. */
const msbuild =
  /^\s*(?:\d+>)?(.+?)(?:\((\d+)(?:,(\d+))?(?:[,-]\d+)*\))?\s*:\s+(?:fatal |[a-z]+ )?(error|warning)\s+([A-Za-z]+\d+)\s*:\s*(.*?)(?:\s+\[[^\]]+\])?\s*$/
/** `main.c:12:34: error: text`. */
const colons = /^\s*(.+?):(\d+):(?:(\d+):)?\s+(?:fatal )?(error|warning)(?:\[(\w+)\])?:\s*(.*?)\s*$/

const mostText = 400

export const diagnosticOf = (printed: string): Diagnostic | undefined => {
  const [, file, line, column, severity, code, text] = msbuild.exec(printed) ?? colons.exec(printed) ?? []
  if (file === undefined) return undefined
  return {
    severity: severity as Diagnostic["severity"],
    file: file.trim(),
    ...(line !== undefined && { line: Number(line) }),
    ...(column !== undefined && { column: Number(column) }),
    ...(code !== undefined && { code }),
    text: shortened(text!, mostText),
  }
}

const mostLine = 4096
const mostTail = 30
const mostSeen = 5000

/** Reads output in chunks. Keeps the first `most` errors, the numbers of errors and warnings, and the last lines. */
export class CompilerOutput {
  readonly errors: Diagnostic[] = []
  errorCount = 0
  warningCount = 0
  /** The last lines that were not blank. */
  readonly tail: string[] = []
  private readonly seen = new Set<string>()
  private readonly utf8 = new TextDecoder()
  private rest = ""

  constructor(private readonly most: number) {}

  /** Reads a chunk. Gives the last complete line so far, or undefined when there is none. */
  add(chunk: Uint8Array): string | undefined {
    const lines = (this.rest + this.utf8.decode(chunk, { stream: true })).split(/\r?\n|\r/)
    this.rest = lines.pop()!.slice(0, mostLine)
    for (const line of lines) this.take(line)
    return this.tail.at(-1)
  }

  /** Reads a last line without a newline. */
  finish(): void {
    this.take(this.rest)
    this.rest = ""
  }

  private take(printed: string): void {
    if (printed.trim() === "") return
    const line = printed.slice(0, mostLine)
    this.tail.push(line.trimEnd())
    if (this.tail.length > mostTail) this.tail.shift()
    const found = diagnosticOf(line)
    if (found === undefined) return
    const key = JSON.stringify(found)
    if (this.seen.has(key) || this.seen.size >= mostSeen) return
    this.seen.add(key)
    if (found.severity === "warning") this.warningCount++
    else if (++this.errorCount <= this.most) this.errors.push(found)
  }
}

/**
 * Errors and warnings of a compiler, read from its output: MSBuild's form, and `file:line:column: error: text` of most others. Pure.
 *
 * Guarantees: one that is printed twice, as MSBuild does in its summary, counts once; memory is bounded. Does not: read more than the first
 * line of each.
 */

export interface Diagnostic {
  readonly severity: "error" | "warning"
  /** As the compiler wrote it; a tool's name, such as MSBUILD, when there is no file to blame. */
  readonly file: string
  /** From 1. */
  readonly line?: number
  readonly column?: number
  /** `CS1002`. */
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
    text: text!.length > mostText ? `${text!.slice(0, mostText)}…` : text!,
  }
}

const mostLine = 4096
const mostTail = 30
const mostSeen = 5000

/** Takes output as it comes. Keeps the first `most` errors, the count of all and of the warnings, and the last lines. */
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

  /** The line it ends in, or undefined when there was none. */
  add(chunk: Uint8Array): string | undefined {
    const lines = (this.rest + this.utf8.decode(chunk, { stream: true })).split(/\r?\n|\r/)
    this.rest = lines.pop()!.slice(0, mostLine)
    for (const line of lines) this.take(line)
    return this.tail.at(-1)
  }

  /** The last line may have had no end. */
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

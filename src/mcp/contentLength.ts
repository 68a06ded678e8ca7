/**
 * Framing by `Content-Length` headers, as the language server protocol has it: how a block of headers is read, and how a body is framed.
 * Guarantees: a block that never ends, or says no length, is told as bad. Does not: read bodies (`FrameReader.ts`).
 */

/** Bytes of one header line; a longer one is no header. */
export const HEADER_LIMIT = 8192
const mostHeaders = 32
const mostShown = 200

const header = /^content-[a-z-]+[ \t]*:/i
const length = /^content-length[ \t]*:[ \t]*(\d{1,15})[ \t]*$/i

/** Does this line begin a block of headers? */
export const isHeader = (line: string): boolean => header.test(line)

export class HeaderBlock {
  private readonly lines: string[] = []
  private bytes = 0

  /** The bytes of the body once the block is over. */
  take(line: string): number | "more" | "bad" {
    if (line === "") return this.bytes > 0 ? this.bytes : "bad"
    this.lines.push(line.slice(0, mostShown))
    const found = length.exec(line)
    if (found !== null) this.bytes = Number(found[1])
    return this.lines.length > mostHeaders ? "bad" : "more"
  }

  /** What there is of it, for people to read. */
  get shown(): string {
    return this.lines.join("; ").slice(0, mostShown)
  }
}

const encoder = new TextEncoder()

export const framed = (body: string): string => `Content-Length: ${encoder.encode(body).length}\r\n\r\n${body}`

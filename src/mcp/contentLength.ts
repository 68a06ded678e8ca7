/**
 * Framing by `Content-Length` headers, as in the language server protocol: reads a block of headers, writes a framed body.
 * Guarantees: a block that never ends, has no length, or one beyond every message is `bad`. Does not: read bodies (`FrameReader.ts`).
 */

/** The most bytes of one header line. */
export const HEADER_LIMIT = 8192
/** The most bytes of a body: as many as a wrong length may make the reader skip. No text of JavaScript is longer. */
const mostBody = 2 ** 30
const mostHeaders = 32
const mostShown = 200

const header = /^content-[a-z-]+[ \t]*:/i
const length = /^content-length[ \t]*:[ \t]*(\d{1,15})[ \t]*$/i

/** Does this line begin a block of headers? */
export const isHeader = (line: string): boolean => header.test(line)

export class HeaderBlock {
  private readonly lines: string[] = []
  private bytes = 0

  /** Takes one header line. At the blank line that ends the block: the number of bytes of the body. */
  take(line: string): number | "more" | "bad" {
    if (line === "") return this.bytes > 0 && this.bytes <= mostBody ? this.bytes : "bad"
    this.lines.push(line.slice(0, mostShown))
    const found = length.exec(line)
    if (found !== null) this.bytes = Number(found[1])
    return this.lines.length > mostHeaders ? "bad" : "more"
  }

  /** The beginning of the block, for an error message. */
  get shown(): string {
    return this.lines.join("; ").slice(0, mostShown)
  }
}

const encoder = new TextEncoder()

export const framed = (body: string): string => `Content-Length: ${encoder.encode(body).length}\r\n\r\n${body}`

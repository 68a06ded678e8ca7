/**
 * What the statements of one evaluation printed, in order, as a console would show it, cut to what is shown.
 *
 * Holds at most about twice `shown` characters however much is added. Text that follows text without a newline at its end begins
 * a new line.
 */
import type { Reply } from "../repl/frame.ts"

const utf8 = new TextDecoder()
const decode = (bytes: Uint8Array): string => utf8.decode(bytes)

/** The beginning, and the end when the middle is missing; `shown` characters of each at least, where there are so many. */
export interface Excerpt {
  readonly head: string
  readonly tail: string
}

/** Decodes no more of a reply than can be shown. */
export const excerpt = ({ head, tail }: Reply, shown: number): Excerpt => {
  const most = 4 * shown + 4
  if (head.length + tail.length <= 2 * most) {
    if (tail.length === 0) return { head: decode(head), tail: "" }
    const whole = new Uint8Array(head.length + tail.length)
    whole.set(head)
    whole.set(tail, head.length)
    return { head: decode(whole), tail: "" }
  }
  const end = tail.length > 0 ? tail : head
  // A character of several bytes may have been cut in two at either edge.
  return { head: decode(head.subarray(0, most)).replace(/\uFFFD$/, ""), tail: decode(end.subarray(-most)).replace(/^\uFFFD+/, "") }
}

export class Output {
  private head = ""
  private tail = ""
  private cut = false
  private bytes = 0
  private kept = 0
  constructor(private readonly shown: number) {}

  /** `text` is the excerpt of `reply`, or what is left of it for showing. */
  add({ bytes, omitted }: Pick<Reply, "bytes" | "omitted">, text: Excerpt): void {
    if (text.head === "") return
    this.bytes += bytes
    this.kept += bytes - omitted
    const last = this.cut ? this.tail : this.head
    this.append(last === "" || last.endsWith("\n") ? text.head : `\n${text.head}`)
    this.append(text.tail)
  }

  private append(text: string): void {
    if (!this.cut && this.head.length + text.length <= this.shown) {
      this.head += text
      return
    }
    const rest = this.cut ? this.tail + text : this.head + text
    if (!this.cut) this.head = rest.slice(0, Math.ceil(this.shown / 2))
    this.cut = true
    this.tail = rest.slice(-Math.floor(this.shown / 2))
  }

  get text(): string {
    return this.cut ? `${this.head}\n… cut here: ${this.bytes} bytes were printed …\n${this.tail}` : this.head
  }

  get truncated(): { readonly bytes: number; readonly kept: number } | undefined {
    return this.cut ? { bytes: this.bytes, kept: this.kept } : undefined
  }
}

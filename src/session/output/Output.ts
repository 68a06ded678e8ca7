/**
 * The printed text of one evaluation, as a console would show it, cut to `shown` characters.
 *
 * Guarantees: it holds at most about twice `shown` characters. Longer output goes to a recording (`Outputs.ts`); with `live` all output does,
 * while it is printed. Text after text without a newline begins a new line.
 */
import { joinedBytes } from "../../joinedBytes.ts"
import type { ChildReply, Spill } from "../../repl/frame.ts"
import { firstCharacters } from "../../shortened.ts"
import type { OutputRecording } from "./Outputs.ts"

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })
const utf8Bytes = new TextEncoder()

/** A text, or its beginning and end without the middle; each of at least `shown` characters then. */
export interface Excerpt {
  readonly head: string
  readonly tail: string
}

/** The size of a text that was cut. */
export interface Truncated {
  /** Bytes printed in all, and bytes kept. */
  readonly bytes: number
  readonly kept: number
  /** The handle of the kept bytes in `Outputs`. */
  readonly handle?: string
}

export class Output {
  private head = ""
  private tail = ""
  private cut = false
  private bytes = 0
  private kept = 0
  private recording: OutputRecording | undefined
  /** The arriving reply has begun to go to the recording. */
  private spilling = false
  /** Receives the bytes of a long reply while it arrives; undefined when nothing is recorded. */
  readonly spill: Spill | undefined

  /** `open` begins a recording, which gets the output from its first byte on; it gives undefined when there is no room. */
  constructor(
    private readonly shown: number,
    private open?: () => OutputRecording | undefined,
    private readonly live = false,
  ) {
    const write = (bytes: Uint8Array): void => {
      if (!this.spilling) this.record(utf8Bytes.encode(this.separator))
      this.spilling = true
      this.record(bytes)
    }
    this.spill = open === undefined ? undefined : { edge: Math.max(65536, 4 * shown + 8), write, live }
  }

  /** The part of a reply that can be shown. Decodes no more than that. */
  excerpt({ head, tail }: ChildReply): Excerpt {
    const most = 4 * this.shown + 4
    if (head.length + tail.length <= 2 * most) return { head: utf8.decode(tail.length === 0 ? head : joinedBytes([head, tail])), tail: "" }
    const end = tail.length > 0 ? tail : head
    // A character of several bytes may have been cut in two at either edge.
    return {
      head: utf8.decode(head.subarray(0, most)).replace(/\uFFFD$/, ""),
      tail: utf8.decode(end.subarray(-most)).replace(/^\uFFFD+/, ""),
    }
  }

  /** Adds `text` in the place of a reply. */
  addInstead({ bytes, omitted, spilled }: Pick<ChildReply, "bytes" | "omitted" | "spilled">, text: string): void {
    const isRecorded = this.live && spilled === true
    const reply = { bytes, omitted, head: utf8Bytes.encode(text), tail: new Uint8Array(0), ...(isRecorded && { spilled: true as const }) }
    this.add(reply, { head: text, tail: "" })
  }

  /** Adds a reply. `text`: its excerpt, if the caller has it. */
  add(reply: ChildReply, text = this.excerpt(reply)): void {
    this.spilling = false
    if (text.head === "") return
    this.bytes += reply.bytes
    this.kept += reply.bytes - reply.omitted
    const { separator } = this
    const isCut = this.cut || this.head.length + separator.length + text.head.length + text.tail.length > this.shown
    if ((isCut || this.live) && reply.spilled !== true) {
      this.record(utf8Bytes.encode(separator))
      this.record(reply.head)
      this.record(reply.tail)
    }
    this.show(separator + text.head)
    this.show(text.tail)
  }

  private get separator(): string {
    const last = this.cut ? this.tail : this.head
    return last === "" || last.endsWith("\n") ? "" : "\n"
  }

  private record(bytes: Uint8Array): void {
    if (this.recording === undefined) {
      const recording = this.open?.()
      this.open = undefined
      recording?.write(utf8Bytes.encode(this.head))
      this.recording = recording
    }
    this.recording?.write(bytes)
  }

  private show(text: string): void {
    if (!this.cut && this.head.length + text.length <= this.shown) {
      this.head += text
      return
    }
    const rest = this.cut ? this.tail + text : this.head + text
    if (!this.cut) this.head = firstCharacters(rest, Math.ceil(this.shown / 2))
    this.cut = true
    // Without the second half of a surrogate pair that the cut parts.
    this.tail = rest.slice(-Math.floor(this.shown / 2)).replace(/^[\udc00-\udfff]/, "")
  }

  get text(): string {
    if (!this.cut) return this.head
    const { recording } = this
    const dropped = recording === undefined ? 0 : this.bytes - Math.min(this.bytes, recording.kept)
    const where =
      recording === undefined
        ? ""
        : dropped === 0
          ? `; read on with k_output ${recording.handle}`
          : `; k_output ${recording.handle} shows all but ${dropped} of them in the middle, which were not kept`
    return `${this.head}\n… cut here: ${this.bytes} bytes were printed${where} …\n${this.tail}`
  }

  get truncated(): Truncated | undefined {
    if (!this.cut) return undefined
    const { bytes, recording } = this
    return recording === undefined ? { bytes, kept: this.kept } : { bytes, kept: Math.min(bytes, recording.kept), handle: recording.handle }
  }
}

/** The text of a reply that is kept in two halves. */
import { describe, expect, it } from "vitest"
import { beginningOf, wholeOf } from "../../src/child/replyText.ts"
import { ReplySplitter } from "../../src/repl/frame.ts"

/** The reply to `text`, with `keep` bytes kept of each half. */
const replyOf = (text: string, keep: number) => {
  const splitter = new ReplySplitter({ head: keep, tail: keep, reports: false })
  splitter.feed(new TextEncoder().encode(text))
  return splitter.take()
}

describe("the text of a reply", () => {
  it("has a letter that lies across its halves", () => {
    const reply = replyOf("1é2", 2)
    expect(reply.head).toHaveLength(2)
    expect(wholeOf(reply)).toBe("1é2")
  })

  it("is undefined when bytes between the halves were not kept", () => {
    expect(wholeOf(replyOf("123456789", 2))).toBeUndefined()
  })

  it("has U+FFFD for a letter that is cut at the end of the beginning", () => {
    expect(beginningOf(replyOf("1é2", 2))).toBe("1\ufffd")
  })
})

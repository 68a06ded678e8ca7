/** The shown part of an output, compared with a simple implementation. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ReplySplitter } from "../../../src/repl/frame.ts"
import { Output } from "../../../src/session/output/Output.ts"

const utf8 = new TextEncoder()

/** The replies as a child that prints these texts would give them, keeping `keep` bytes of each. */
const replies = (texts: readonly string[], keep: number) =>
  new ReplySplitter({ head: Math.ceil(keep / 2), tail: Math.floor(keep / 2), reports: false }).feed(
    utf8.encode(texts.map((text) => `${text}\x01\x02`).join("")),
  )

const show = (texts: readonly string[], shown: number, keep = 1_000_000): Output => {
  const output = new Output(shown)
  for (const reply of replies(texts, keep)) output.add(reply)
  return output
}

const joined = (texts: readonly string[]) =>
  texts.reduce((all, text) => (text === "" ? all : all + (all === "" || all.endsWith("\n") ? "" : "\n") + text), "")

const printed = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "\n", "é", "日", "\ufeff"), maxLength: 60 }), { maxLength: 6 })

describe("output", () => {
  it("that fits is shown as a console would, in any chunks", () => {
    fc.assert(
      fc.property(printed, (texts) => {
        expect(show(texts, 1000)).toMatchObject({ text: joined(texts), truncated: undefined })
      }),
    )
  })

  it("that does not fit is shown by its beginning and its end, with the whole size", () => {
    fc.assert(
      fc.property(printed, fc.integer({ min: 2, max: 40 }), (texts, shown) => {
        const whole = joined(texts)
        fc.pre(whole.length > shown)
        const output = show(texts, shown)
        const [head, tail] = output.text.split(/\n… cut here: \d+ bytes were printed …\n/)
        expect(head).toBe(whole.slice(0, Math.ceil(shown / 2)))
        expect(tail).toBe(whole.slice(-Math.floor(shown / 2)))
        expect(output.truncated?.bytes).toBe(utf8.encode(texts.join("")).length)
      }),
    )
  })

  it("is not cut within a character of two code units", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom("a", "😀"), maxLength: 60 })),
        fc.integer({ min: 2, max: 40 }),
        (texts, shown) => {
          expect(show(texts, shown).text).not.toMatch(/\p{Surrogate}/u)
        },
      ),
    )
  })

  it("that was not kept while it arrived is shown by its ends, without half characters", () => {
    const output = show(["é".repeat(5000)], 100, 2001)
    expect(output.text).toMatch(/^é{50}\n… cut here: 10000 bytes were printed …\né{50}$/)
    expect(output.truncated).toEqual({ bytes: 10_000, kept: 2001 })
  })
})

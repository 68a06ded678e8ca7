/** P6 messages to the program that draws, and back. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { headOf, type Message, MessageReader } from "../../src/plot/frames.ts"

interface Numbered {
  readonly n: number
}

const cutInto = (bytes: Uint8Array, size: number): readonly Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size))

describe("P6 messages", () => {
  it.each([true, false])("arrive whole, however they are cut, where memory is taken again: %s", (reuses) => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 3 }), { maxLength: 6 }),
        fc.integer({ min: 1, max: 100 }),
        (all, size) => {
          const reader = new MessageReader<Numbered>(reuses)
          for (const [n, bodies] of all.entries()) {
            const found: Message<Numbered>[] = []
            // One after the other, as the server sends them.
            for (const part of [headOf({ n }, bodies), ...bodies])
              for (const chunk of cutInto(part, size)) found.push(...reader.feed(chunk))
            expect(found.map(({ message }) => message.n)).toEqual([n])
            expect(found[0]!.bodies.map((each) => Array.from(each))).toEqual(bodies.map((each) => Array.from(each)))
          }
        },
      ),
    )
  })
})

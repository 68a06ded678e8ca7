/** Whatever bytes `_db` is given: whole images with bytes changed, cut short or put in, and bytes that never were one. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { KError } from "../../src/k3/run/KError.ts"
import type { Kernel } from "../../src/k3/run/kernel.ts"
import { rows } from "../../src/k3/values/image.ts"
import type { MonadRow } from "../../src/k3/primitives/Row.ts"
import { Chars } from "../../src/k3/values/value.ts"
import { data } from "../lib/values.ts"
import { tries } from "./scale.ts"

const [toImage, fromImage] = rows.map((row) => (row as MonadRow).run) as [MonadRow["run"], MonadRow["run"]]
/** Data asks nothing of the kernel. */
const none = {} as Kernel

/** Code 10 is a function, whose text is read as K. */
const withoutFunctions = (bytes: readonly number[]): Uint8Array => Uint8Array.from(bytes, (byte) => (byte === 10 ? 11 : byte))

const byte = fc.oneof(fc.constantFrom(0, 1, 127, 128, 255, 254, 253, 252), fc.integer({ min: 0, max: 255 }))
const edited = fc
  .tuple(data, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 4 }), fc.array(byte, { maxLength: 6 })), { minLength: 1, maxLength: 6 }))
  .map(([value, edits]) => {
    const image = [...(toImage(value, none) as Chars).v]
    for (const [at, length, put] of edits) image.splice(at % (image.length + 1), length, ...put)
    return withoutFunctions(image)
  })
const header = fc
  .tuple(fc.array(byte, { maxLength: 40 }), fc.integer({ min: -2, max: 60 }))
  .map(([body, length]) =>
    withoutFunctions([1, 0, 0, 0, length & 255, (length >> 8) & 255, (length >> 16) & 255, (length >> 24) & 255, ...body]),
  )

it("images: a value or an error of K, never anything else", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        edited,
        header,
        fc.uint8Array({ maxLength: 40 }).map((bytes) => withoutFunctions([...bytes])),
      ),
      (image) => {
        try {
          toImage(fromImage(new Chars(image), none), none)
        } catch (error) {
          expect(error).toBeInstanceOf(KError)
        }
      },
    ),
    tries(2000),
  )
})

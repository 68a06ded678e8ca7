import { assert, it } from "@effect/vitest"
import { shortStack } from "../../src/child/standardError.ts"

it("S5 of a stack trace on standard error the first places are told", () => {
  const places = Array.from({ length: 100 }, (_, i) => `   at Place${i}(String)`)
  assert.strictEqual(
    shortStack(["Stack overflow.", ...places, "Aborted", ...places.slice(0, 3), ""].join("\n")),
    ["Stack overflow.", ...places.slice(0, 3), "   … and 97 more places", "Aborted", ...places.slice(0, 3)].join("\n"),
  )
  assert.strictEqual(shortStack("no stack\n"), "no stack")
})

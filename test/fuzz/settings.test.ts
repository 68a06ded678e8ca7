/** Whatever settings are given: complete and valid values, or one sentence a problem that names what is wrong and what is allowed. */
import { delimiter, resolve as resolvePath } from "node:path"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { documentation, resolve } from "../../src/Settings.ts"
import { tries } from "./scale.ts"

const names = documentation.map(({ name }) => name)
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("0", "-1", "1e9", "30s", "1GiB", "none", "auto", "true", "Infinity", "\0"),
)
const value = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }))
const keys = fc.oneof(fc.constantFrom<string>(...names), fc.constantFrom("nothing", "__proto__", "constructor", "toString"))

it("settings: every problem is told, and what passes is complete", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom(...documentation.map(({ flag }) => flag.slice(2))), text),
      fc.option(fc.oneof(fc.dictionary(keys, value), fc.jsonValue()), { nil: undefined }),
      fc.dictionary(fc.constantFrom(...documentation.map(({ variable }) => variable)), text),
      (flags, content, environment) => {
        const file = content === undefined ? undefined : { path: "c.json", content }
        const result = resolve({ cwd: "/home/k", resolvePath, pathDelimiter: delimiter, flags, file, environment })
        if (Result.isSuccess(result)) {
          expect(result.success.origins.map(({ name }) => name)).toEqual(names)
          return
        }
        expect(result.failure.problems.length).toBeGreaterThan(0)
        for (const problem of result.failure.problems) expect(problem).toMatch(/allowed: |there are: /)
      },
    ),
    tries(1500),
  )
})

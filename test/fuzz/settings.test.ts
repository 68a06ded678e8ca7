/** Any settings give complete and valid values, or one sentence per problem, which names it and the allowed values. */
import { rmSync, writeFileSync } from "node:fs"
import { delimiter, join, resolve as resolvePath } from "node:path"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { expect, it, onTestFinished } from "vitest"
import { readCommandLine } from "../../src/platform/commandLine.ts"
import { documentation, resolve } from "../../src/Settings.ts"
import { makeScratch } from "../lib/scratchFolder.ts"
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
        expect(result.failure.length).toBeGreaterThan(0)
        for (const problem of result.failure) expect(problem).toMatch(/allowed: |there are: /)
      },
    ),
    tries(1500),
  )
})

const whole = fc.dictionary(keys, value, { maxKeys: 5 }).map((content) => Array.from(Buffer.from(JSON.stringify(content, null, 1))))
const edits = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 3 })), {
  maxLength: 3,
})

it("a configuration file of any bytes: settings, or what is wrong with it", () => {
  const folder = makeScratch()
  const path = join(folder, "k3.json")
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const bytes = fc.oneof(
    fc.tuple(whole, edits).map(([file, changes]) => {
      for (const [at, length, put] of changes) file.splice(at % (file.length + 1), length, ...put)
      return Uint8Array.from(file)
    }),
    fc.uint8Array({ maxLength: 40 }),
  )
  fc.assert(
    fc.property(bytes, (file) => {
      writeFileSync(path, file)
      const result = Result.flatMap(readCommandLine(["--config", path]), ({ sources }) => resolve(sources))
      if (Result.isSuccess(result)) return
      expect(result.failure.length).toBeGreaterThan(0)
      for (const problem of result.failure) expect(problem).toMatch(/allowed: |there are: |--config .*k3\.json: /)
    }),
    tries(1500),
  )
})

/** R6 each case of a file gets a child in its initial state, whatever the case before it did, mostly without a launch. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Child } from "../../../src/child/Child.ts"
import { renew } from "../../../src/child/engines/k3csharpRenew.ts"
import { Sessions } from "../../../src/session/Sessions.ts"
import { real } from "../../lib/sessionLayers.ts"
import { scratch } from "../../lib/stateFolder.ts"

/** A lasting effect of one case, and a case that would see it. */
const leaks: readonly (readonly [leaves: string, looks: string])[] = [
  ["a:5", "a"],
  ["b::6", "b"],
  ["f:{c::7;x}\nf 1", "c"],
  ["\\p 3", "1%3.0"],
  ["\\r 5", "\\r"],
  ["5 _draw 10", "3 _draw 100"],
  ["\\d .foo\ng:1", "\\d"],
  [".e.g:5", ".e.g"],
  ["h:1+`z", "i:3"],
  [".[`j;();:;3]", "j"],
  ["k:1 2 3\nk[1]:7", "k"],
]

const buildDir = process.env["K3_BUILD_DIR"]

describe("R6 the effects of a case do not reach the next one", () => {
  for (const engine of ["embedded", "k3csharp"] as const)
    it.live.skipIf(engine === "k3csharp" && buildDir === undefined)(engine, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const cwd = yield* scratch
          const layer = real({ engine: "embedded", cwd, roots: [cwd], ...(buildDir !== undefined && { buildDir }) })
          yield* Effect.gen(function* () {
            const { compare } = yield* Sessions
            const between = [engine, engine] as const
            const alone: string[] = []
            // As many items as are all shown for code.
            for (let i = 0; i < leaks.length; i += 3) {
              const code = leaks.slice(i, i + 3).map(([, looks]) => looks)
              const { rows } = yield* compare({ between, code: code.join("\n"), session: "main" })
              alone.push(...rows.map(({ a }) => a.printed.replace(/\n$/, "")))
            }
            const rows = leaks.flatMap(([leaves, looks], i) => [
              JSON.stringify({ code: leaves, expected: "" }),
              JSON.stringify({ code: looks, expected: alone[i] }),
            ])
            writeFileSync(join(cwd, "leaks.jsonl"), rows.join("\n"))
            const { rows: differing } = yield* compare({ between, file: "leaks.jsonl", session: "main" })
            const seen = differing.filter(({ code }) => leaks.some(([, looks]) => looks === code))
            assert.deepStrictEqual(
              seen.map(({ code, expected, a, b }) => [code, expected, a.printed, b.printed]),
              [],
            )
          }).pipe(Effect.provide(layer))
        }),
      ),
    )
})

describe("R6 a K3CSharp child counts as new", () => {
  const answers = { "!`": "`k`t", "\\v": "", "\\p": "7\n", "\\r": "-314159\n", "\\d": ".k\n", "\\9": "" }
  const childThat = (other: Readonly<Record<string, string>>): Child =>
    ({
      ask: (line: string) =>
        Effect.sync(() => {
          const code = line.trimEnd()
          const printed = { ...answers, ...other }[code] ?? `Error: Undefined variable: ${code}`
          return { head: new TextEncoder().encode(printed), tail: new Uint8Array(), omitted: 0, bytes: printed.length }
        }),
    }) as unknown as Child
  const cases: readonly (readonly [
    what: string,
    ran: readonly string[] | undefined,
    other: Readonly<Record<string, string>>,
    isNew: boolean,
  ])[] = [
    ["when every answer is that of a new one", ["a:5\na+b"], {}, true],
    ["not when a name has a value still", ["a:5", "a+b"], { b: "5" }, false],
    ["not when another directory is there", ["a:5"], { "!`": "`k`t`e" }, false],
    ["not when the precision is another", ["a:5"], { "\\p": "3\n" }, false],
    ["not behind a global assignment", ["f:{a::5}"], {}, false],
    ["not behind a command", ["1+1\n\\cd /tmp"], {}, false],
    ["not behind a file", ['"x" 0:,"a"'], {}, false],
    ["not behind an error", undefined, {}, false],
    ["not when there are too many names to ask for", [Array.from({ length: 60 }, (_, i) => `a${i}:1`).join("\n")], {}, false],
  ]
  it.effect.each(cases)("%s", ([, ran, other, isNew]) =>
    Effect.map(renew(childThat(other), ran), (found) => assert.strictEqual(found, isNew)),
  )
})

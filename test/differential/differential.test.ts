/**
 * Random programs against K3CSharp and Kona, where `K3_BUILD_DIR` names a build of the one and `KONA` the program of the other: where both agree on a
 * value, so does this interpreter, or a row of docs/differences.md says why.
 *
 * `FUZZ=500 npx vitest run test/differential --testTimeout 36000000` makes five hundred times as many and ends with a table; `FUZZ_SEED=…` begins at
 * a seed that a table or a failure printed. A failure is shrunk.
 */
import * as fc from "fast-check"
import { rmSync } from "node:fs"
import { afterAll, describe, expect, it } from "vitest"
import { printed } from "../lib/printed.ts"
import { makeScratch } from "../lib/scratchFolder.ts"
import { report, tries } from "../fuzz/scale.ts"
import { embedded, k3csharp, kona, type Engine, type Program } from "./engines.ts"
import { judge, sameAs } from "./judge.ts"
import { known } from "./known.ts"
import { program } from "./programs.ts"
import { alike, readPrinted } from "./printed.ts"

const build = process.env["K3_BUILD_DIR"]
const konaProgram = process.env["KONA"]
const missing = [build === undefined ? "K3_BUILD_DIR names no build" : "", konaProgram === undefined ? "KONA names no program" : ""]
  .filter((why) => why !== "")
  .join(", ")

it.each(known)("known difference $id: $example", ({ example, here, there }) => {
  let text: string
  try {
    text = printed(example)
  } catch (error) {
    text = /^(\w+) error/.exec((error as Error).message)?.[1] ?? String(error)
  }
  expect(text).toBe(here)
  expect(readPrinted(there)).toBeDefined()
})

it("reads what the three print as one value", () => {
  const same = (...texts: readonly string[]): void => {
    const [first, ...rest] = texts.map((text) => readPrinted(text)!)
    for (const other of rest) expect(alike(first!, other)).toBe(true)
  }
  same("(1 2\n 3.5\n `a `b)", "(1 2;3.5;`a`b)")
  same(".((`a;1;)\n  (`b\n   1 2\n   ))", ".((`a;1;);(`b;1 2;))")
  same("2 4.0", "2.0 4.0")
  same('(,"a"\n "b\\012")', '(,"a";"b\\n")')
  for (const text of [`${",".repeat(1e5)}1`, "{x+y}", "+", "(1;+)", "(1", "type error", "1 2)"]) expect(readPrinted(text)).toBeUndefined()
  for (const [x, y] of [
    ["1", "1.0"],
    [",1", "1"],
    ["!0", "()"],
    ['"a"', ',"a"'],
    ["0n", "0i"],
    ["1 2", "1 3"],
  ] as const)
    expect(alike(readPrinted(x)!, readPrinted(y)!)).toBe(false)
})

describe.skipIf(missing !== "")(`against K3CSharp and Kona${missing === "" ? "" : `: skipped, ${missing}`}`, () => {
  const folder = missing === "" ? makeScratch() : undefined
  const others: readonly Engine[] = folder === undefined ? [] : [k3csharp(build!, folder), kona(konaProgram!, folder)]
  const ours = embedded()
  afterAll(() => {
    others.forEach((each) => each.close())
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  })

  const answers = async (programs: readonly Program[]) => {
    const [fromK3csharp, fromKona] = await Promise.all(others.map((each) => each.ask(programs)))
    return programs.map((each, i) => ({ program: each, ours: ours.ask(each), k3csharp: fromK3csharp![i]!, kona: fromKona![i]! }))
  }

  it("what is told of both others in docs/differences.md is so", async () => {
    const found = await answers(known.map(({ example }) => example.split("\n")))
    for (const [i, row] of known.entries()) {
      const { k3csharp, kona } = found[i]!
      for (const { kind, text } of [k3csharp, kona])
        expect({ id: row.id, kind, same: kind === "value" && alike(readPrinted(text)!, readPrinted(row.there)!) }).toEqual({
          id: row.id,
          kind: "value",
          same: true,
        })
    }
  })

  it("where both agree on a value, so do we", async () => {
    const facts: Record<string, number> = {}
    const note = (what: string): void => void (facts[what] = (facts[what] ?? 0) + 1)
    await fc.assert(
      fc.asyncProperty(fc.array(program, { minLength: 1, maxLength: 40 }), async (programs) => {
        for (const each of await answers(programs)) {
          const verdict = judge(each.program, each.ours, each.k3csharp, each.kona)
          note(verdict)
          note(`Kona: ${sameAs(each.ours, each.kona) ?? each.kona.kind}`)
          note(`K3CSharp: ${sameAs(each.ours, each.k3csharp) ?? each.k3csharp.kind}`)
          expect(verdict === "unexplained" ? each : undefined).toBeUndefined()
        }
      }),
      tries(40),
    )
    report("differential", facts)
    expect(facts["agrees"]).toBeGreaterThan(0)
  })
})

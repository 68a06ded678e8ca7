/** D3 the notes about slips: one for each slip whose print shows it, and none for code that is meant. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { idioms } from "../../src/help/idioms.ts"
import { slipsIn } from "../../src/help/slips.ts"
import { validate } from "../../src/k3/syntax/validate.ts"

const nothing = { names: new Map<string, number>(), directory: ".k" }
const ours = new Set(["int-range", "no-query", "dollar-cond", "equals-assign"])

describe("no false alarm", () => {
  const cases = ["kx", "kona", "kx-bd"].flatMap((file) =>
    readFileSync(new URL(`../cases/${file}.jsonl`, import.meta.url), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly id: string; readonly code: string; readonly expected: string })
      .map(({ id, code, expected }) => [id, Buffer.from(code, "utf8").toString("latin1"), expected] as const),
  )
  const pairs = [...cases, ...idioms.flatMap(({ form, body }) => body.map((part) => [form, part[0] ?? "", part[1] ?? ""] as const))]

  it("in the note of an evaluation, on every idiom and every recorded case", () => {
    const told = pairs.flatMap(([id, code, output]) => {
      const slips = slipsIn({ code, output, failed: / error\n/.test(`${output}\n`) })
      return slips.length === 0 ? [] : [`${id}: ${code}: ${slips.join()}`]
    })
    expect(told).toEqual([])
  })

  // Those of images hold functions made at random.
  it("of these traps in k_validate, on every idiom and case but those of images", () => {
    const told = pairs.flatMap(([id, code]) =>
      id.startsWith("bd-")
        ? []
        : validate(code, nothing)
            .filter((each) => ours.has(each.code))
            .map((each) => `${id}: ${code}: ${each.code}`),
    )
    expect(told).toEqual([])
  })
})

describe("a note where the print shows the slip", () => {
  it.each([
    ["+ /1 2 3", "+", /^a \/ behind a blank begins a comment.* Write \+\/ without the blank/],
    ["a:1 2\n+ /a", "+", /^line 2: a \/ behind a blank/],
    ["2**3", "6", /^\*\* is two verbs: a\*\(\*b\)\. Write a\^b\.$/],
    ["x = 5", "0", /^= compares x with the right side\. Write x: to assign\.$/],
    ["a:99999999999", "", /^99999999999 is beyond the ints, .* K reads it as 0I\. Write 99999999999\.0, a float\.$/],
    ['("SI";,",")0:"sales.csv"', '(`name `qty\n (`"\\"Smith" `Bob\n  0N 4))', /^0: knows no quotes: .*k_help csv-quoted/],
    ['t:("CI";",")0:"sales.csv";t', '(("\\"Smith"\n  "Bob")\n 0N 4)', /^0: knows no quotes/],
    ["1 -99999999999 2", "1 -0I 2", /K reads it as -0I/],
  ])("%j", (code, output, told) => {
    expect(slipsIn({ code, output, failed: false })).toEqual([expect.stringMatching(told)])
  })

  it.each([
    ["$[1;2;3]", /^\$ formats, and chooses nothing\. Write :\[c;a;b\], the conditional\.$/],
    ["select a from t", /^K has no select: .*k_help data/],
  ])("%j, which fails", (code, told) => expect(slipsIn({ code, output: "", failed: true })).toEqual([expect.stringMatching(told)]))

  it.each([
    ["1+ / the rest\n2", "3"],
    ["2147483647 -2147483648", "0I 0N"],
    ["12345678901.5", "1.23456789e+10"],
    ['"99999999999"', '"99999999999"'],
    ["x=5", "0"],
    ['("CI";",")0:"sales.csv"', '(("\\"Smith\\""\n  "Bob")\n 3 4)'],
    ['"\\"a"', '"\\"a"'],
    ["from:1;select:2;select+from", "3"],
    ["2**3", ""],
  ])("none for %j", (code, output) => expect(slipsIn({ code, output, failed: false })).toEqual([]))
})

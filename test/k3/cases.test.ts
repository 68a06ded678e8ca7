/**
 * What real K interpreters printed (`test/cases/*.jsonl`), entered line by line as at a console in a fresh session.
 *
 * A case that we print otherwise on purpose is in `test/cases/differences.json` with its reason, and is held to what we print.
 */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { makeInterpreter } from "../../src/k3/k3.ts"
import { memoryHost } from "../lib/memoryHost.ts"
import { statements } from "../../src/k3/text/statements.ts"

interface Case {
  readonly id: string
  readonly code: string
  readonly expected: string
  /** Random values: hold type and count. */
  readonly compare?: "shape"
}
interface Difference {
  readonly id: string
  readonly prints: string
}

const read = (name: string): string => readFileSync(new URL(`../cases/${name}`, import.meta.url), "utf8")
const cases = (name: string): readonly Case[] =>
  read(name)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Case)
const differences = new Map((JSON.parse(read("differences.json")) as readonly Difference[]).map((d) => [d.id, d.prints]))

/** Cases are UTF-8; the console's bytes are one character each. */
const byteString = (s: string): string => Buffer.from(s, "utf8").toString("latin1")

const console = (code: string): string => {
  const host = memoryHost()
  const k = makeInterpreter(host, { steps: 50_000_000 })
  let failures = ""
  for (const { source } of statements(byteString(code))) failures += k.evaluate(source)?.rendered ?? ""
  return (host.take() + failures).replace(/\n$/, "")
}

const shapeOf = (printed: string): string => printed.replace(/-?\d+/g, "0")

for (const file of ["kx.jsonl", "kona.jsonl"])
  describe(file, () => {
    it.each(cases(file))("$id", ({ id, code, expected, compare }) => {
      const printed = console(code)
      if (compare === "shape") expect(shapeOf(printed)).toBe(shapeOf(byteString(expected)))
      else expect(printed).toBe(byteString(differences.get(id) ?? expected))
    })
  })

it("differs on less than one case in a hundred", () => {
  expect(differences.size).toBeLessThan((cases("kx.jsonl").length + cases("kona.jsonl").length) / 100)
})

/** The table of faults in docs/faults.md: every row names a test that is there, and no fault of `faults.test.ts` or `machine.test.ts` is left out. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const page = readFileSync(join(import.meta.dirname, "../docs/faults.md"), "utf8")
const rows = page
  .slice(page.indexOf("# Faults\n"))
  .split("\n")
  .flatMap((line) => /^\| (.+) \| (.+) \| ([\w/]+): `(.+)` \|$/.exec(line)?.slice(1, 5) ?? [])
const faults = Array.from({ length: rows.length / 4 }, (_, row) => rows.slice(row * 4, row * 4 + 4) as [string, string, string, string])
/** `platform/…` is a test of that room; any other is on the built server. */
const source = (file: string): string =>
  readFileSync(join(import.meta.dirname, `${file.startsWith("platform/") ? "" : "e2e/"}${file}.test.ts`), "utf8")

it("has at least forty faults, each with a test of that name", () => {
  expect(faults.length).toBeGreaterThanOrEqual(40)
  for (const [fault, seen, file, title] of faults) {
    expect(seen, fault).not.toBe("")
    expect(source(file).includes(title), `${file}: ${title}`).toBe(true)
  }
})

it("leaves out no test of a fault", () => {
  for (const file of ["faults", "machine"]) {
    const named = faults.filter(([, , each]) => each === file).map(([, , , title]) => title)
    const titles = [...source(file).matchAll(/^\s*it(?:\.skipIf\([^)]*\))?\(\s*["`]([^"`$]+)/gm)].map((match) => match[1]!)
    expect(titles.length).toBeGreaterThan(5)
    expect(titles.filter((title) => !named.some((each) => title.includes(each)))).toEqual([])
  }
})

/**
 * Every attempt of `attempts.ts`, fenced and not, on both engines, as root and as another user. `FENCE_TABLE=1 npx vitest run test/fence` writes the table of
 * docs/threats.md from its run.
 */
import { spawnSync } from "node:child_process"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { attempts } from "./attempts.ts"
import { buildLibrary, type Column, run, type Verdict } from "./stage.ts"

const build = process.env["K3_BUILD_DIR"]
const hasFence = process.platform === "linux" && spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user", "true"]).status === 0
const isRoot = process.getuid?.() === 0
const library = hasFence && build !== undefined ? buildLibrary() : undefined
const NOBODY = 65534
const users = isRoot ? [0, NOBODY] : [process.getuid?.() ?? 0]
const engines = build === undefined ? (["embedded"] as const) : (["embedded", "k3csharp"] as const)
const columns: readonly Column[] = engines.flatMap((engine) =>
  [false, true].flatMap((fenced) => users.map((user) => ({ engine, fenced, user }))),
)
const found = new Map<Column, ReadonlyMap<string, Verdict>>()
const titleOf = ({ engine, fenced, user }: Column): string =>
  `${engine}, ${fenced ? "fenced" : "not fenced"}, as ${user === 0 ? "root" : "another user"}`

/** What stands in one place of the table: of both users, when they differ. */
const cellOf = (tries: string, engine: string, fenced: boolean): string => {
  const verdicts = columns.flatMap((column) =>
    column.engine === engine && column.fenced === fenced ? [found.get(column)?.get(tries) ?? ""] : [],
  )
  return new Set(verdicts).size === 1
    ? verdicts[0]!
    : verdicts.map((verdict, i) => `${verdict} as ${users[i] === 0 ? "root" : "another user"}`).join(", ")
}

const table = (): string =>
  [
    "| attempt | what must not happen | embedded, no fence | embedded, fenced | K3CSharp, no fence | K3CSharp, fenced |",
    "| --- | --- | --- | --- | --- | --- |",
    ...attempts.map(({ tries, mustNot }) => {
      const cells = (["embedded", "k3csharp"] as const).flatMap((engine) => [false, true].map((fenced) => cellOf(tries, engine, fenced)))
      return `| ${[tries, mustNot, ...cells].join(" | ")} |`
    }),
  ].join("\n")

afterAll(() => {
  if (library !== undefined) rmSync(dirname(dirname(library)), { recursive: true, force: true })
  if (process.env["FENCE_TABLE"] === undefined) return
  const page = join(import.meta.dirname, "../../docs/threats.md")
  const text = readFileSync(page, "utf8")
  writeFileSync(
    page,
    text.replace(/<!-- attempts -->[^]*<!-- \/attempts -->/, () => `<!-- attempts -->\n\n${table()}\n\n<!-- /attempts -->`),
  )
})

describe.skipIf(!hasFence)(
  `G13 attempts to get out of the fence${hasFence ? "" : ": skipped, bubblewrap is not installed or may not run"}`,
  () => {
    const all = { timeout: 30_000 + attempts.length * 3000 }
    it.each(columns.map((column) => [titleOf(column), column] as const))("%s", all, async (_, column) => {
      const verdicts = await run(column, attempts, build, library)
      found.set(column, verdicts)
      if (!column.fenced) return
      const happened = attempts.filter(({ tries }) => verdicts.get(tries) === "happened")
      const isNamed = ({ known, knownAsRoot }: (typeof attempts)[number]): boolean =>
        known !== undefined && (knownAsRoot !== true || column.user === 0)
      expect(happened.filter((attempt) => !isNamed(attempt)).map(({ tries }) => tries)).toEqual([])
    })

    it("most of them happen without a fence: they prove something", () => {
      const proven = attempts.filter(({ tries }) =>
        columns.some((column) => !column.fenced && found.get(column)?.get(tries) === "happened"),
      )
      expect(proven.length).toBeGreaterThanOrEqual(build === undefined || library === undefined ? 25 : 40)
    })

    it.skipIf(build === undefined || library !== undefined)(
      `attempts by 2: have a library${library === undefined ? ": skipped, it cannot be built without the .NET SDK" : ""}`,
      () => {},
    )
  },
)

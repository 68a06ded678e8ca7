/**
 * The two walk-throughs of docs/walkthroughs.md, one for each audience: a real client does every call on the built server, and what it was answered is
 * what is committed, which test/readme.test.ts holds that page to. When a reply is told otherwise:
 * `npx vitest run test/e2e/walkthroughs.test.ts -u && npx vitest run test/readme.test.ts -u`.
 */
import { chmodSync, copyFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { describe, expect, it } from "vitest"
import { scratchFolder } from "./server.ts"
import { beginWalk } from "./walk.ts"
import { changeTheInterpreter, expectAsCommitted, lib } from "./interpreterWalk.ts"

describe("someone who changes the interpreter", () => {
  it.skipIf(process.platform === "win32")("R1 R2 R3 R4 R6 edits, builds, reloads, compares: with a stand-in for .NET", async () => {
    const tools = scratchFolder()
    copyFileSync(join(lib, "toyDotnet.mjs"), join(tools, "dotnet"))
    copyFileSync(join(lib, "toyChild.mjs"), join(tools, "toyChild.mjs"))
    for (const file of ["dotnet", "toyChild.mjs"]) chmodSync(join(tools, file), 0o755)
    await expectAsCommitted(await changeTheInterpreter(`${tools}${delimiter}${process.env["PATH"]}`), "interpreter")
  })
})

it("someone who writes K validates, evaluates, fixes by the caret, inspects, defines a tool, exports and runs the file", async () => {
  const folder = scratchFolder()
  const walk = await beginWalk(folder, ["--engine", "embedded"])
  const { issues } = await walk.call("k_validate", { code: "avg:{(+ /x)%#x}\nspread:{sqrt avg(x-avg x)^2}" })
  expect(issues.length).toBeGreaterThan(0)
  const code = "avg:{(+/x)%#x}\nspread:{_sqrt avg(x-avg x)^2}\nlots:(2 4 4 4 5 5 7 9;1 1 4)\nspread lots"
  expect(await walk.call("k_eval", { code })).toMatchObject({ ok: false, error: { name: "length" } })
  walk.say("+/ adds the two lists to each other, and they are not of one length: spread is for each of them.")
  expect(await walk.call("k_eval", { code: "spread'lots" })).toMatchObject({ output: "2 1.414214\n" })
  expect((await walk.call("k_inspect", { path: "spread" })).value).toMatchObject({ valence: 1, uses: ["avg"] })

  walk.say("What will be needed again becomes a tool, tried by an example before it is one.")
  const made = await walk.call("k_define", {
    action: "define",
    name: "spread",
    description: "Standard deviation of some numbers.",
    code: "{[v] spread v}",
    parameters: { v: "list of float: the numbers" },
    arguments: { v: [2, 4, 4, 4, 5, 5, 7, 9] },
    result: 2,
  })
  expect(made).toMatchObject({ ok: true, tool: "kf_spread" })
  expect(await walk.call("kf_spread", { v: [1, 1, 4] })).toMatchObject({ ok: true, value: Math.SQRT2 })
  await walk.call("k_history", { action: "script", file: "spread.k" })
  expect(walk.k3("spread.k", "-e", "spread'lots")).toBe("2 1.414214\n")
  await expectAsCommitted(walk, "k")
})

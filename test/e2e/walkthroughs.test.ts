/**
 * The two walk-throughs of docs/walkthroughs.md, one for each audience, and the steps of docs/tutorial.md: a real client makes every call on the
 * built server, and the replies must equal the committed ones, which test/readme.test.ts compares with these pages. When a reply changes:
 * `npx vitest run test/e2e/walkthroughs.test.ts -u && npx vitest run test/readme.test.ts -u`.
 */
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { describe, expect, it } from "vitest"
import { scratchFolder } from "./server.ts"
import { beginWalk } from "./walk.ts"
import { changeTheInterpreter, expectAsCommitted, lib } from "./interpreterWalk.ts"

describe("work on the interpreter", () => {
  it.skipIf(process.platform === "win32")("R1 R2 R3 R4 R6 edits, builds, reloads, compares: with a stand-in for .NET", async () => {
    const tools = scratchFolder()
    copyFileSync(join(lib, "toyDotnet.mjs"), join(tools, "dotnet"))
    copyFileSync(join(lib, "toyChild.mjs"), join(tools, "toyChild.mjs"))
    for (const file of ["dotnet", "toyChild.mjs"]) chmodSync(join(tools, file), 0o755)
    await expectAsCommitted(await changeTheInterpreter(`${tools}${delimiter}${process.env["PATH"]}`), "interpreter")
  })
})

it("work in K: validate, evaluate, fix by the caret, inspect, define a tool, export and run the file", async () => {
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

it("the tutorial for a newcomer to K: numbers, a file, groups, mistakes, a picture, a tool, undo, a script", async () => {
  const folder = scratchFolder()
  const page = readFileSync(join(import.meta.dirname, "../../docs/tutorial.md"), "utf8")
  writeFileSync(join(folder, "sales.csv"), /```csv\n([^`]*)```/.exec(page)![1]!)
  const walk = await beginWalk(folder, ["--engine", "embedded"])
  expect(await walk.call("k_eval", { code: "2+3\n2+3 4 5\n!10\n+/!10\n2*3+4" })).toMatchObject({
    output: "5\n5 6 7\n0 1 2 3 4 5 6 7 8 9\n45\n14\n",
  })
  await walk.call("k_help", { query: "/" })
  await expectAsCommitted(walk, "tutorial.numbers")

  const { output } = await walk.call("k_eval", { code: 's:.+("SSIF";,",")0:"sales.csv"\n!s\ns.sold\ntakings:s.sold*s.price\n+/takings' })
  expect(output).toMatch(/\n4868\.9\n$/)
  await walk.call("k_inspect", {})
  await expectAsCommitted(walk, "tutorial.file")

  await walk.call("k_eval", { code: "?s.item\n=s.item\n+/'takings[=s.item]\n+/'takings[=s.day]" })
  await expectAsCommitted(walk, "tutorial.groups")

  expect(await walk.call("k_eval", { code: "days:?s.day\ndays+takings" })).toMatchObject({ ok: false, error: { name: "type" } })
  expect(await walk.call("k_validate", { code: "best:{[key;v] (?key)@*>+/'v@=key" })).toMatchObject({ ok: false })
  expect(await walk.call("k_eval", { code: "best:{[key;v] (?key)@*>+/'v@=key}\nbest[s.day;takings]" })).toMatchObject({ output: "`fri\n" })
  expect(await walk.call("k_eval", { code: "while[1;x:1]", timeout_ms: 500 })).toMatchObject({ error: { name: "deadline" } })
  expect(await walk.call("k_eval", { code: "best[s.item;takings]" })).toMatchObject({ output: "`bread\n" })
  await expectAsCommitted(walk, "tutorial.mistakes")

  expect(await walk.call("k_plot", { code: "(days;+/'takings@=s.day)", title: "Takings of a day" })).toMatchObject({ ok: true })
  await expectAsCommitted(walk, "tutorial.picture")

  const made = await walk.call("k_define", {
    action: "define",
    name: "takings",
    description: "Takings of each day or item in a CSV file of sales, greatest first.",
    code: '{[file;by] s:.+("SSIF";,",")0:file;t:+/\'(s.sold*s.price)@=s[by];o:>t;.+((?s[by])@o;t@o)}',
    parameters: { file: "string: the CSV file", by: "symbol: day or item" },
    arguments: { file: "sales.csv", by: "item" },
    result: { bread: 2029.4, cake: 1831.5, roll: 1008 },
  })
  expect(made).toMatchObject({ ok: true, tool: "kf_takings" })
  expect((await walk.call("kf_takings", { file: "sales.csv", by: "day" })).value.fri).toBe(1527)
  await expectAsCommitted(walk, "tutorial.tool")

  await walk.call("k_snapshot", { action: "save", name: "before" })
  await walk.call("k_eval", { code: "s[`price;&s.item=`bread]*:1.1\ntakings:s.sold*s.price\n+/takings" })
  expect(await walk.call("k_snapshot", { action: "diff", name: "before" })).toMatchObject({ ok: true })
  await walk.call("k_snapshot", { action: "undo" })
  expect(await walk.call("k_eval", { code: "+/takings" })).toMatchObject({ output: "4868.9\n" })
  await expectAsCommitted(walk, "tutorial.undo")

  await walk.call("k_history", { action: "script", file: "sales.k" })
  expect(walk.k3("sales.k", "-e", "best[s.item;takings]")).toBe("`bread\n")
  await expectAsCommitted(walk, "tutorial.keep")
})

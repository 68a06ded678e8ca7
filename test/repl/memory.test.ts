/**
 * The memory of a child above its idle memory stays within its limit plus 32 MiB, whatever the memory is for. Measured as the peak resident memory,
 * which Linux keeps.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { scratchFolder, startChild } from "./interpreter.ts"

const MB = 1024 ** 2
const LIMIT = 64 * MB
const SLACK = 32 * MB
/** The bytes of one piece of an image that is sent to the child. */
const PIECE = 3 * MB

const bytesOf = (pid: number, name: "VmRSS" | "VmHWM"): number =>
  1024 * Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1])

/** A child with that limit, its folder, and its peak memory since then. */
const limited = async (limit: number) => {
  const folder = scratchFolder()
  const child = await startChild(["--memory", String(limit)], folder)
  await child.ask("1+1")
  const pid = child.process.pid!
  const idle = bytesOf(pid, "VmRSS")
  // Resets the peak to the present memory.
  writeFileSync(`/proc/${pid}/clear_refs`, "5")
  return { folder, ask: child.ask, taken: () => bytesOf(pid, "VmHWM") - idle }
}

const HALF = "0".repeat(30_000_000)
/** Files that a source may name as symbols. Only the named ones are written. */
const files: { readonly [name: string]: () => string } = {
  half: () => HALF,
  lines: () => "12,abc,3\n".repeat(2_000_000),
  large: () => HALF.repeat(5),
}

const capture = (since: number): string =>
  `\x05${JSON.stringify({ op: "capture", since, limits: { value: LIMIT, total: MB, soon: LIMIT } })}`

/** The image of `x`, 10 MB of ints, as in a capture. */
const restored = (): readonly string[] => {
  const n = 2_500_000
  const image = Buffer.alloc(16 + 4 * n, 1)
  for (const [i, word] of [1, 8 + 4 * n, -1, n].entries()) image.writeInt32LE(word, 4 * i)
  const pieces = Array.from({ length: Math.ceil(image.length / PIECE) }, (_, i) => {
    const piece = image.subarray(i * PIECE, (i + 1) * PIECE).toString("base64")
    return { op: "give", image: piece, from: i * PIECE, size: image.length }
  })
  return [...pieces, { op: "restore", variables: [{ path: ".k.x", inPieces: true }] }].map((each) => `\x05${JSON.stringify(each)}`)
}

interface Source {
  readonly source: string
  /** The lines that are sent, in order. */
  readonly asked: readonly string[]
  /** The output of the last line; `wsfull` when absent. */
  readonly answer?: string
  readonly limit?: number
}

const sources: readonly Source[] = [
  { source: "values: ints", asked: ["a:!0;while[1;a,:1]"] },
  { source: "values: a list of many items", asked: ["a:();while[1;a,:,1 2]"] },
  { source: "values: many small vectors", asked: ["a:();i:0;while[1;a,:,!10+i!50;i+:1]"] },
  { source: "values: strings", asked: ["a:();i:0;while[1;a,:,$i;i+:1]"] },
  { source: "values: a dictionary", asked: ['d:.();i:0;while[1;d[`$"k",$i]:!i!99;i+:1]'] },
  { source: "values: results of each", asked: ["{x,1}'!10000000"] },
  { source: "values: garbage of vectors", asked: ["do[100;a:!3000000];#a"], answer: "3000000\n" },
  { source: "values: garbage of lists", asked: ["do[30;a:{x,1}'!50000];#a"], answer: "50000\n" },
  {
    source: "values: spare memory of loops",
    asked: ["a:!2000000;do[100;b:a+a;c:b*2]", "a:b:c:0", "x:!6000000;y:!3000000;#x"],
    answer: "6000000\n",
  },
  { source: "values: operands of adverbs", asked: ["s:$!400000", `#${"s,'".repeat(6)}s`], answer: "400000\n" },
  { source: "values: printed", asked: ["a:!2000000", "a", "1+1"], answer: "2\n" },
  { source: "reads: bytes", asked: ["#6:`large"] },
  { source: "reads: bytes that fit", asked: ["#6:`half"], answer: "30000000\n" },
  { source: "reads: lines", asked: ["#0:`lines"], answer: "2000000\n" },
  { source: "reads: lines one by one", asked: ["+/#:'0:`lines"], answer: "16000000\n" },
  { source: "reads: lines one by one, kept", asked: ["{x,x}'0:`lines"] },
  { source: "reads: lines of a large file", asked: ["#0:`large"] },
  { source: "reads: fields", asked: ['#,/("CSC";",")0:`lines'] },
  { source: "reads: fields that fit", asked: ['#("ISI";",")0:`lines'], answer: "3\n" },
  { source: "reads: records", asked: ['#(,"C";,4)1:`half'] },
  { source: "reads: data", asked: ['a:!2500000;"f" 1:a;"f" 5:a', "a:0", '#2:"f"'], answer: "5000000\n" },
  { source: "WebAssembly: ints", asked: ["m:1000 1000#!1000000;do[3;r:m _mul m];#r"], answer: "1000\n" },
  { source: "WebAssembly: floats", asked: ["m:900 900#0.5*!810000;do[3;r:m _mul m];#r"], answer: "900\n" },
  { source: "symbols", asked: ["i:0;while[1;`$$i;i+:1]"] },
  { source: "symbols: long ones", asked: ['i:0;while[1;`$(100000#"x"),$i;i+:1]'] },
  { source: "code: texts", asked: ['i:0;do[200;. (3000#"1+"),$i;i+:1];i'], answer: "200\n", limit: LIMIT / 2 },
  { source: "code: functions", asked: ['f:();i:0;while[1;f,:. "{[a;b]a+b*",($i),"}";f[i][1;2];i+:1]'], limit: LIMIT / 2 },
  { source: "code: a literal", asked: ['s:2500000#"1 "', "#. s"], answer: "1250000\n" },
  { source: "captures: restored", asked: [...restored(), "#x"], answer: "2500000\n" },
  { source: "captures", asked: ["a:!2400000;b:!1000000", capture(0), capture(1), "#a"], answer: "2400000\n" },
  {
    source: "captures: one image",
    asked: ["a:!2400000", '\x05{"op":"value","statement":"a","most":100000000}', "#a"],
    answer: "2400000\n",
  },
]

describe.skipIf(process.platform !== "linux")("a child's memory", () => {
  it.each(sources)("K: $source", async ({ asked, answer, limit = LIMIT }) => {
    const { folder, ask, taken } = await limited(limit)
    for (const [name, text] of Object.entries(files))
      if (asked.some((line) => line.includes(`\`${name}`))) writeFileSync(join(folder, name), text())
    const answers: Awaited<ReturnType<typeof ask>>[] = []
    for (const line of asked) answers.push(await ask(line))
    if (answer === undefined) expect(answers.at(-1)!.report.name).toBe("wsfull")
    else expect(answers.at(-1)).toMatchObject({ text: answer, report: undefined })
    expect(taken()).toBeLessThan(limit + SLACK)
  })

  it("does not grow to a high limit while arrays become garbage", async () => {
    const { ask, taken } = await limited(1024 * MB)
    await ask("s:$!1000000")
    // Each time five results, of 14 to 41 MB.
    for (let i = 0; i < 4; i++) expect((await ask(`#${"s,'".repeat(5)}s`)).text).toBe("1000000\n")
    expect(taken()).toBeLessThan(200 * MB)
  })
})

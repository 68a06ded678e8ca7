/**
 * What a child takes from the system beyond what it takes when idle stays within its limit and 32 MiB, whatever the memory is for. The system
 * keeps the most that a process has had (Linux).
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { scratchFolder, startChild } from "./interpreter.ts"

const MB = 1024 ** 2
const LIMIT = 64 * MB
const SLACK = 32 * MB

const bytesOf = (pid: number, name: "VmRSS" | "VmHWM"): number =>
  1024 * Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1])

/** A child with that limit, its folder, and the most that it has taken since then. */
const limited = async () => {
  const folder = scratchFolder()
  const child = await startChild(["--memory", String(LIMIT)], folder)
  await child.ask("1+1")
  const pid = child.process.pid!
  const idle = bytesOf(pid, "VmRSS")
  // The most is what there is now.
  writeFileSync(`/proc/${pid}/clear_refs`, "5")
  return { folder, ask: child.ask, taken: () => bytesOf(pid, "VmHWM") - idle }
}

const HALF = "0".repeat(30_000_000)
const LINES = "12,abc,3\n".repeat(2_000_000)

const limits = (op: "capture", since: number): string =>
  `\x05${JSON.stringify({ op, since, limits: { value: LIMIT, total: MB, soon: LIMIT } })}`

/** Asked one after the other; what the last one answers, when it is known. */
const sources: readonly (readonly [source: string, asked: readonly string[], answer?: string])[] = [
  ["values: ints", ["a:!0;while[1;a,:1]"]],
  ["values: a list of many items", ["a:();while[1;a,:,1 2]"]],
  ["values: many small vectors", ["a:();i:0;while[1;a,:,!10+i!50;i+:1]"]],
  ["values: strings", ["a:();i:0;while[1;a,:,$i;i+:1]"]],
  ["values: a dictionary", ['d:.();i:0;while[1;d[`$"k",$i!9999]:!i;i+:1]']],
  ["values: results of each", ["{x,1}'!10000000"]],
  ["values: garbage of vectors", ["do[100;a:!3000000];#a"], "3000000\n"],
  ["values: garbage of lists", ["do[30;a:{x,1}'!100000];#a"], "100000\n"],
  ["values: spare memory of loops", ["a:!2000000;do[100;b:a+a;c:b*2];a:b:c:0;x:!6000000;y:!3000000;#x"], "6000000\n"],
  ["values: printed", ["a:!2000000", "a", "1+1"], "2\n"],
  ["reads: bytes", ["#6:`large"]],
  ["reads: bytes that fit", ["#6:`half"], "30000000\n"],
  ["reads: lines", ["#0:`half", "#0:`large"]],
  ["reads: fields", ['#("ISI";",")0:`lines']],
  ["reads: records", ['#("C";,4)1:`half']],
  ["reads: data", ['a:!3000000;"f" 1:a;"f" 5:a;#2:"f"'], "6000000\n"],
  ["WebAssembly: ints", ["m:1000 1000#!1000000;do[3;r:m _mul m];#r"], "1000\n"],
  ["WebAssembly: floats", ["m:900 900#0.5*!810000;do[3;r:m _mul m];#r"], "900\n"],
  ["symbols", ["i:0;while[1;`$$i;i+:1]"]],
  ["symbols: long ones", ['i:0;while[1;`$(100000#"x"),$i;i+:1]']],
  ["code: texts", ['i:0;while[1;. (3000#"1+"),$i;i+:1]']],
  ["code: functions", ['f:();i:0;while[1;f,:. "{[a;b]a+b*",($i),"}";f[i][1;2];i+:1]']],
  ["captures", ["a:!2400000;b:!1000000", limits("capture", 0), limits("capture", 1), "#a"], "2400000\n"],
  ["captures: one image", ["a:!2400000", '\x05{"op":"value","statement":"a","most":100000000}', "#a"], "2400000\n"],
]

describe.skipIf(process.platform !== "linux")("a child's memory", () => {
  it.each(sources)("K: %s", async (_, asked, answer) => {
    const { folder, ask, taken } = await limited()
    writeFileSync(join(folder, "half"), HALF)
    writeFileSync(join(folder, "lines"), LINES)
    writeFileSync(join(folder, "large"), HALF.repeat(5))
    let last = await ask(asked[0]!)
    for (const line of asked.slice(1)) last = await ask(line)
    if (answer === undefined) expect(last.report?.name).toBe("wsfull")
    else expect(last).toMatchObject({ text: answer, report: undefined })
    expect(taken()).toBeLessThan(LIMIT + SLACK)
  })
})

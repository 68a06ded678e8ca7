/**
 * The programs of bench/k3: user + system CPU seconds of each, less the CPU seconds of an empty program, the least of
 * all runs, since other work on the machine only adds, against
 * Kona (`KONA` names its binary) and oK (`OK` names the folder of its `repl.js`; it speaks K6, so the programs that can be said in it stand in
 * bench/k3/ok, which leaves out b5, for which it takes minutes). Other first lines of output are shown beside ours: oK prints a list
 * otherwise, and Kona and oK multiply in b7 without wrapping at 32 bits.
 * Usage: node bench/k3.mjs [RUNS] [PROGRAM …]
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { embedded, printTable } from "./measure.mjs"

const folder = fileURLToPath(new URL("k3", import.meta.url))
const runs = Number(process.argv[2] ?? 3)
const wanted = process.argv.slice(3)
const programs = readdirSync(folder)
  .filter((name) => name.endsWith(".k") && (wanted.length === 0 || wanted.some((each) => name.startsWith(each))))
  .toSorted()

const contestants = [
  { name: "k3", command: [process.execPath, embedded] },
  ...(process.env.KONA ? [{ name: "Kona", command: [process.env.KONA] }] : []),
  ...(process.env.OK ? [{ name: "oK", command: [process.execPath, join(process.env.OK, "repl.js")], folder: join(folder, "ok") }] : []),
]

/** CPU seconds and what was printed. */
const run = (command, program) => {
  const timed = spawnSync("bash", ["-c", 'TIMEFORMAT="%U %S"; time "$@" </dev/null', "bash", ...command, program], {
    encoding: "latin1",
    timeout: 300_000,
  })
  const match = /([\d.]+) ([\d.]+)\s*$/.exec(timed.stderr)
  return {
    seconds: match === null || timed.status === null ? Number.NaN : Number(match[1]) + Number(match[2]),
    printed: timed.stdout.trim().split("\n", 1)[0],
  }
}

const scratch = mkdtempSync(join(tmpdir(), "k3-bench-"))
const empty = join(scratch, "empty.k")
writeFileSync(empty, "\n")
const measure = (command, program) => {
  const results = Array.from({ length: runs }, () => run(command, program))
  return { seconds: Math.min(...results.map(({ seconds }) => seconds)), printed: results[0].printed }
}

const startUp = contestants.map(({ command }) => measure(command, empty).seconds)
const rows = [
  ["program", ...contestants.map(({ name }) => `${name} s`), ...contestants.slice(1).map(({ name }) => `against ${name}`), "prints"],
]
const logs = contestants.slice(1).map(() => [])
for (const program of programs) {
  const results = contestants.map(({ command, folder: own = folder }, index) => {
    const file = join(own, program)
    if (!existsSync(file)) return { seconds: Number.NaN, printed: "" }
    const { seconds, printed } = measure(command, file)
    return { seconds: Math.max(seconds - startUp[index], 0.001), printed }
  })
  const ratios = results.slice(1).map(({ seconds }) => results[0].seconds / seconds)
  ratios.forEach((each, index) => Number.isNaN(each) || logs[index].push(Math.log(each)))
  rows.push([
    program,
    ...results.map(({ seconds }) => (Number.isNaN(seconds) ? "" : seconds.toFixed(3))),
    ...ratios.map((each) => (Number.isNaN(each) ? "" : `${each.toFixed(2)}×`)),
    results
      .flatMap(({ printed }, index) =>
        index > 0 && (printed === "" || printed === results[0].printed) ? [] : [`${contestants[index].name}: ${printed}`],
      )
      .join("; "),
  ])
}
rows.push([
  "geometric mean",
  ...contestants.map(() => ""),
  ...logs.map((each) => `${Math.exp(each.reduce((sum, log) => sum + log, 0) / each.length).toFixed(3)}×`),
  "",
])
printTable(rows)
rmSync(scratch, { recursive: true })

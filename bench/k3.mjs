/**
 * The programs of bench/k3: user and system CPU seconds of each, less those of an empty program, against Kona (`KONA` names its binary) and oK
 * (`OK` names the folder of its `repl.js`). oK speaks K6: bench/k3/ok has the programs in it, without b5, which takes minutes there.
 *
 * Each round runs the empty program and the program on each contestant in turn, so that other work of the machine slows all of them. The round with
 * the least CPU seconds of the program counts, since other work only adds. First lines of output that differ from ours are shown: oK prints lists
 * in its own way, and in b7 Kona and oK multiply without wrapping at 32 bits.
 * Usage: node bench/k3.mjs [ROUNDS] [PROGRAM …]
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { embedded, printTable } from "./measure.mjs"

const folder = fileURLToPath(new URL("k3", import.meta.url))
const rounds = Number(process.argv[2] ?? 5)
const wanted = process.argv.slice(3)
const programs = readdirSync(folder)
  .filter((name) => name.endsWith(".k") && (wanted.length === 0 || wanted.some((each) => name.startsWith(each))))
  .toSorted()

const contestants = [
  { name: "k3", command: [process.execPath, embedded] },
  ...(process.env.KONA ? [{ name: "Kona", command: [process.env.KONA] }] : []),
  ...(process.env.OK ? [{ name: "oK", command: [process.execPath, join(process.env.OK, "repl.js")], folder: join(folder, "ok") }] : []),
]

/** CPU seconds and the output. */
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
/** Rounds of start-up and program, contestants in turn: for each its least CPU seconds less start-up, and its output. */
const measure = (entrants) => {
  const seen = entrants.map(() => ({ empty: [], program: [], printed: "" }))
  for (let round = 0; round < rounds; round++)
    entrants.forEach(({ command, file }, index) => {
      if (!existsSync(file)) return
      seen[index].empty.push(run(command, empty).seconds)
      const { seconds, printed } = run(command, file)
      seen[index].program.push(seconds)
      seen[index].printed = printed
    })
  return seen.map(({ empty: starts, program, printed }) => ({
    seconds: program.length === 0 ? Number.NaN : Math.max(Math.min(...program) - Math.min(...starts), 0.001),
    printed,
  }))
}

const rows = [
  ["program", ...contestants.map(({ name }) => `${name} s`), ...contestants.slice(1).map(({ name }) => `against ${name}`), "prints"],
]
const logs = contestants.slice(1).map(() => [])
for (const program of programs) {
  const results = measure(contestants.map(({ command, folder: own = folder }) => ({ command, file: join(own, program) })))
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

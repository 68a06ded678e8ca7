/**
 * The loaded runs: each test file that may start processes, ROUNDS times, beside four busy loops: `node test/loaded.mjs [ROUNDS] [PART OF A PATH…]`
 * after `npm run build`. LOOPS, WORKERS: how many loops run beside the tests, and how many test files at a time.
 *
 * Guarantees: prints each failure when its round ends, a table of the files at the end, and fails when a test failed. The counts are kept in
 * `node_modules/.loaded-runs.json` after each round: a run that was ended goes on where it was; without that file it begins anew. The loops end
 * with this program, however it ends. Does not: belong to `npm test` (a round takes longer than it); tell a defect of a test from one of the server;
 * notice that the code has changed since the counts were kept.
 */
import { spawn, spawnSync } from "node:child_process"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { availableParallelism, loadavg } from "node:os"
import { dirname, join, relative, resolve } from "node:path"

const root = resolve(import.meta.dirname, "..")
const [rounds = "20", ...parts] = process.argv.slice(2)
const loops = Number(process.env["LOOPS"] ?? 4)
const workers = process.env["WORKERS"] ?? "4"

const read = (path) => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** Whether the module at `path`, or one that it imports, can start a process. */
const startsProcesses = (path, seen = new Set()) => {
  if (seen.has(path)) return false
  seen.add(path)
  const text = read(path)
  if (text.includes('"node:child_process"')) return true
  const imports = [...text.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)].map((found) => resolve(dirname(path), found[1]))
  return imports.some((each) => startsProcesses(each, seen))
}

const files = readdirSync(join(root, "test"), { recursive: true })
  .map((name) => join("test", name))
  .filter((file) => file.endsWith(".test.ts"))
  .filter((file) => startsProcesses(join(root, file)))
  .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
  .toSorted()

const busy = "const parent = process.ppid; while (process.ppid === parent);"
const loopProcesses = Array.from({ length: loops }, () => spawn(process.execPath, ["-e", busy], { stdio: "ignore" }))

/** Written by vitest (`vitest.config.ts`). */
const report = join(root, "node_modules/.vitest-report.json")
const kept = join(root, "node_modules/.loaded-runs.json")
const before = JSON.parse(read(kept) || "{}")
/** Of each file: how often it ran, how often a test of it failed, and its longest time in seconds. */
const table = new Map(files.map((file) => [file, before[file] ?? { runs: 0, failures: 0, longest: 0 }]))

const runRound = (round) => {
  rmSync(report, { force: true })
  const began = Date.now()
  const due = files.filter((file) => table.get(file).runs < round)
  if (due.length === 0) return
  const args = ["node_modules/vitest/vitest.mjs", "run", `--maxWorkers=${workers}`, ...due]
  spawnSync(process.execPath, args, { cwd: root, stdio: "ignore" })
  const { testResults = [] } = JSON.parse(read(report) || "{}")
  for (const { name, status, startTime, endTime, message, assertionResults } of testResults) {
    const file = relative(root, name)
    const row = table.get(file)
    row.runs++
    row.longest = Math.max(row.longest, (endTime - startTime) / 1000)
    if (status !== "failed") continue
    row.failures++
    const failed = assertionResults.filter((each) => each.status === "failed")
    console.log(`round ${round}: ${file} failed: ${message}`)
    for (const { fullName, failureMessages } of failed) console.log(`  ${fullName}\n    ${failureMessages.join("\n").slice(0, 1500)}`)
  }
  writeFileSync(kept, JSON.stringify({ ...before, ...Object.fromEntries(table) }))
  const minutes = ((Date.now() - began) / 60_000).toFixed(1)
  console.log(`round ${round}: ${testResults.length} of ${due.length} files, ${minutes} min, load ${loadavg()[0].toFixed(1)}`)
}

try {
  console.log(`${files.length} files, ${loops} loops, ${workers} files at a time, ${availableParallelism()} processors`)
  for (let round = 1; round <= Number(rounds); round++) runRound(round)
} finally {
  for (const each of loopProcesses) each.kill("SIGKILL")
}
console.log("\n| file | runs | failed | longest, s |\n| --- | --- | --- | --- |")
for (const [file, { runs, failures, longest }] of table) console.log(`| ${file} | ${runs} | ${failures} | ${longest.toFixed(1)} |`)
const rows = [...table.values()]
if (rows.some(({ runs, failures }) => failures > 0 || runs < Number(rounds))) process.exitCode = 1

/**
 * The loaded runs: each test file that may start processes, ROUNDS times, beside four busy loops: `node test/loaded.mjs [ROUNDS] [PART OF A PATH…]`
 * after `npm run build`. LOOPS, WORKERS: how many loops run beside the tests, and how many test files at a time.
 *
 * Guarantees: prints each failure when its run ends, a table of the files at the end, and fails when a test failed. The counts are kept in
 * `node_modules/.loaded-runs.json` after each run: a program that was ended goes on where it was; without that file it begins anew. The shortest
 * files come first. The loops end with this program, however it ends. Does not: belong to `npm test` (it takes hours); tell a defect of a test
 * from one of the server; notice that the code has changed since the counts were kept.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { availableParallelism, loadavg } from "node:os"
import { dirname, join, relative, resolve } from "node:path"

const root = resolve(import.meta.dirname, "..")
const [rounds = "20", ...parts] = process.argv.slice(2)
const loops = Number(process.env["LOOPS"] ?? 4)
const workers = Number(process.env["WORKERS"] ?? 4)

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

const kept = join(root, "node_modules/.loaded-runs.json")
const before = JSON.parse(read(kept) || "{}")
/** Of each file: how often it ran, how often a test of it failed, and its longest time in seconds. */
const table = new Map(files.map((file) => [file, before[file] ?? { runs: 0, failures: 0, longest: 0 }]))

/** The files in groups of about a minute, the shortest first: one vitest runs a group, since its start takes longer than many files. */
const groups = []
let seconds = Infinity
for (const [file, { runs, longest }] of [...table].toSorted(([, a], [, b]) => a.longest - b.longest)) {
  // A file that never ran counts as ten seconds: all of them would be one group otherwise, for one worker.
  const expected = runs === 0 ? 10 : longest
  if (seconds + expected > 60) {
    groups.push([])
    seconds = 0
  }
  groups.at(-1).push(file)
  seconds += expected
}

/** Counts the result of a file, and prints its failures. */
const count = ({ name, status, startTime, endTime, message, assertionResults }) => {
  const file = relative(root, name)
  const row = table.get(file)
  row.runs++
  row.longest = Math.max(row.longest, (endTime - startTime) / 1000)
  if (status !== "failed") return
  row.failures++
  console.log(`${file} failed in run ${row.runs}, load ${loadavg()[0].toFixed(1)}: ${message}`)
  for (const { status, fullName, failureMessages } of assertionResults)
    if (status === "failed") console.log(`  ${fullName}\n    ${failureMessages.join("\n").slice(0, 1500)}`)
}

/** Runs the files of a group that are due, until none is. */
const work = async (group, worker) => {
  /** Written by vitest (`vitest.config.ts`). */
  const report = join(root, `node_modules/.loaded-report-${worker}.json`)
  for (let round = 1; round <= Number(rounds); round++) {
    const due = group.filter((file) => table.get(file).runs < round)
    if (due.length === 0) continue
    rmSync(report, { force: true })
    const args = ["node_modules/vitest/vitest.mjs", "run", "--maxWorkers=1", ...due]
    await once(spawn(process.execPath, args, { cwd: root, stdio: "ignore", env: { ...process.env, TEST_REPORT: report } }), "exit")
    const { testResults } = JSON.parse(read(report) || '{"testResults":[]}')
    testResults.forEach(count)
    if (testResults.length < due.length) console.log(`no result of ${due.length - testResults.length} of ${due.join(" ")}`)
    writeFileSync(kept, JSON.stringify({ ...before, ...Object.fromEntries(table) }))
  }
}

const busy = "const parent = process.ppid; while (process.ppid === parent);"
const loopProcesses = Array.from({ length: loops }, () => spawn(process.execPath, ["-e", busy], { stdio: "ignore" }))
console.log(`${files.length} files, ${loops} loops, ${workers} files at a time, ${availableParallelism()} processors`)
try {
  const left = groups.values()
  const worker = async (_, number) => {
    for (const group of left) await work(group, number)
  }
  await Promise.all(Array.from({ length: workers }, worker))
} finally {
  for (const each of loopProcesses) each.kill("SIGKILL")
}
console.log("\n| file | runs | failed | longest, s |\n| --- | --- | --- | --- |")
for (const [file, { runs, failures, longest }] of table) console.log(`| ${file} | ${runs} | ${failures} | ${longest.toFixed(1)} |`)
const rows = [...table.values()]
if (rows.some(({ runs, failures }) => failures > 0 || runs < Number(rounds))) process.exitCode = 1

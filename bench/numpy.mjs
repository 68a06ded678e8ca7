/**
 * Verbs on large vectors against one NumPy statement each, hot: CPU time of all threads of a running server's child, and of Python on one
 * thread. The two take turns, each run several times in a row, and of all turns the least counts. Both have the same data: ints below 10^6
 * in 32 bits, floats in 64; b holds places, k 1,000 different ints, v is sorted, s and t are texts (symbols here).
 * Needs Linux and `python3` (`PYTHON` names another) with NumPy. Usage: node bench/numpy.mjs [ITEMS] [TURNS] [VERB ...]
 */
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { childOf, cpuNanoseconds, ourServer, printTable, startServer } from "./measure.mjs"

const [count = "1000000", turns = "25", ...chosen] = process.argv.slice(2)
const items = Number(count)
const python = process.env.PYTHON ?? "python3"
/** Name, K, NumPy. */
const verbs = [
  ["sum", "+/a", "a.sum()"],
  ["add", "a+c", "a+c"],
  ["float multiply", "f*g", "f*g"],
  ["max-scan", "|\\a", "np.maximum.accumulate(a)"],
  ["float prefix sum", "+\\f", "np.cumsum(f)"],
  ["grade of ints", "<a", "np.argsort(a, kind='stable')"],
  ["grade of floats", "<f", "np.argsort(f, kind='stable')"],
  ["sort", "a@<a", "np.sort(a, kind='stable')"],
  ["unique", "?a", "np.unique(a)"],
  ["where of a comparison", "&a>c", "np.flatnonzero(a>c)"],
  ["index", "a@b", "a[b]"],
  ["group", "=k", "np.split(np.argsort(k, kind='stable'), np.cumsum(np.bincount(k))[:-1])"],
  ["matrix product", "m _mul w", "m@w"],
  ["membership", "a _lin c", "np.isin(a, c)"],
  ["binary search", "v _binl c", "np.searchsorted(v, c)"],
  ["square root", "_sqrt f", "np.sqrt(f)"],
  ["compare", "a>c", "a>c"],
  ["reverse", "|a", "a[::-1].copy()"],
]
const texts = [
  ["texts: grade", "<s", "np.argsort(s, kind='stable')"],
  ["texts: unique", "?s", "np.unique(s)"],
  ["texts: equal", "s=t", "s==t"],
  ["texts: where equal to one", "&s=`s7", "np.flatnonzero(s=='s7')"],
  ["texts: membership", "s _lin `s1`s2`s3", "np.isin(s, ['s1', 's2', 's3'])"],
  ["texts: index", "s@b", "s[b]"],
]
const wanted = (all) => all.filter(([name]) => chosen.length === 0 || chosen.some((each) => name.startsWith(each)))

if (spawnSync(python, ["-c", "import numpy"]).status !== 0) {
  console.log(`skipped: ${python} has no NumPy (python3-numpy)`)
  process.exit(0)
}
const single = Object.fromEntries(["OMP", "OPENBLAS", "MKL"].map((library) => [`${library}_NUM_THREADS`, "1"]))
const reference = spawn(python, [fileURLToPath(new URL("reference/verbs.py", import.meta.url))], {
  stdio: ["pipe", "pipe", "inherit"],
  env: { ...process.env, ...single },
})
const replies = createInterface({ input: reference.stdout })[Symbol.asyncIterator]()
const ask = async (request) => {
  reference.stdin.write(`${JSON.stringify(request)}\n`)
  return JSON.parse((await replies.next()).value)
}

const folder = mkdtempSync(join(tmpdir(), "k3-numpy-"))
const versions = await ask({ folder, n: items })
const server = startServer([ourServer, "--engine", "embedded", "--roots", folder, "--child-memory", "4GiB"])
await server.initialize()
const evaluate = async (code) => {
  const { isError, structuredContent } = await server.evaluate(code, { timeout_ms: 600_000 })
  if (isError) throw new Error(JSON.stringify(structuredContent))
}
for (const name of "ackbv") await evaluate(`${name}:*(,"i";,4)1:"${folder}/${name}"`)
for (const name of "fg") await evaluate(`${name}:*(,"d";,8)1:"${folder}/${name}"`)
for (const name of "mw") await evaluate(`${name}:300 300#*(,"d";,8)1:"${folder}/${name}"`)
for (const name of "st") await evaluate(`${name}:\`$0:"${folder}/${name}"`)
const child = childOf(server.pid)

/** Nanoseconds of one. A local name holds the result, so that no capture of it is measured. */
const measure = async (verb, times) => {
  const before = cpuNanoseconds(child)
  await evaluate(`{do[${times};r:${verb}];0}[]`)
  return (cpuNanoseconds(child) - before) / times
}
/** A run of so many nanoseconds tells one from the time of a call. */
const RUN = 2e7
const timesFor = (nanoseconds) => Math.min(1e5, Math.max(1, Math.ceil(RUN / nanoseconds)))

const shown = (nanoseconds) => (nanoseconds / 1e6).toPrecision(3)
const rows = [["verb", "K", "K ms", "NumPy", "NumPy ms", "ratio"]]
const compare = async (all) => {
  let logs = 0
  for (const [name, ours, theirs] of wanted(all)) {
    const [own, other] = [[], []]
    let times = 1
    for (let turn = 0; turn < Number(turns); turn++) {
      own.push(await measure(ours, times))
      other.push(await ask({ statement: theirs, times }))
      times = timesFor(Math.min(...own, ...other))
    }
    const [least, reached] = [Math.min(...own), Math.min(...other)]
    logs += Math.log(least / reached)
    rows.push([name, ours, shown(least), theirs, shown(reached), `${(least / reached).toFixed(2)}×`])
  }
  return Math.exp(logs / wanted(all).length)
}
const mean = await compare(verbs)
rows.push([`geometric mean of ${wanted(verbs).length}`, "", "", "", "", `${mean.toFixed(2)}×`])
await compare(texts)
await server.close()
reference.stdin.end()
rmSync(folder, { recursive: true })

console.log(`${items} items, least of ${turns}; node ${process.version}, NumPy ${versions.numpy}, Python ${versions.python}`)
printTable(rows)

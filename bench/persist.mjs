/**
 * A session of 100,000 variables written to disk, by the number of them that changed, and the wait of other work in the server. The
 * reference is the write of all of them. Usage: node bench/persist.mjs
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "rolldown"
import { median, ms, printTable, ratio, time } from "./measure.mjs"

const turns = 15
const held = 100_000
const scratch = mkdtempSync(join(tmpdir(), "k3-mcp-bench-"))
const file = join(scratch, "entry.mjs")
await build({
  input: new URL("persist.entry.ts", import.meta.url).pathname,
  platform: "node",
  logLevel: "silent",
  output: { file, format: "esm", codeSplitting: false },
})
const { open } = await import(pathToFileURL(file).href)
const { persist, load, written, close } = await open(join(scratch, "state"))

const variable = (name, image) => ({ path: `.k.${name}`, type: 1, shape: "", bytes: 16, text: image, image })
const snapshot = { variables: new Map(), workspace: undefined, bytes: 0 }
/** Milliseconds, bytes, and the longest time that nothing else could run. */
const measure = async (count, turn) => {
  const changed = new Set()
  for (let i = 0; i < count; i++) {
    const each = variable(`v${i}`, `AQAAAAEAAAA${turn * held + i}`)
    snapshot.variables.set(each.path, each)
    changed.add(each.path)
  }
  let last = performance.now()
  let longest = 0
  const watch = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }, 1)
  const before = written()
  const took = await time(() => persist({ engine: "embedded", takeUnsaved: () => ({ held: snapshot, changed }), stillUnsaved: () => {} }))
  clearInterval(watch)
  return [took, written() - before, Math.max(longest, performance.now() - last)]
}
const after = async (count, repeat = turns) => {
  const runs = []
  for (let turn = 0; turn < repeat; turn++) runs.push(await measure(count, turn + 1))
  return [0, 1, 2].map((column) => median(runs.map((run) => run[column])))
}

const first = await measure(held, 0)
const rows = [
  ["1 changed", await after(1)],
  ["100 changed", await after(100)],
  ["10,000 changed", await after(10_000, 5)],
  ["all changed", await after(held, 5)],
]
const all = rows[3][1]
const loaded = await time(load)
await close()
rmSync(scratch, { recursive: true })

console.log(`\npersist with ${held} variables held, node ${process.version}, median of ${turns}`)
printTable([
  ["", "ms", "to all", "bytes", "to all", "longest stall ms"],
  ...[["first time", first], ...rows].map(([name, [took, bytes, stall]]) => [
    name,
    ms(took),
    ratio(took, all[0]),
    Math.round(bytes),
    `${(bytes / all[1]).toFixed(5)}×`,
    ms(stall),
  ]),
])
console.log(`read back: ${ms(loaded)} ms`)

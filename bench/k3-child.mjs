/**
 * The interpreter as a program: its start against that of bare Node, and one-line evaluations against a child that only echoes, each line sent
 * after the reply to the line before; and all lines sent at once, which leaves the interpreter's own share.
 * Usage: node bench/k3-child.mjs [EVALUATIONS] [STARTS]
 */
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const evaluations = Number(process.argv[2] ?? 10_000)
const starts = Number(process.argv[3] ?? 20)
const k3 = join(import.meta.dirname, "../dist/k3.js")
const folder = mkdtempSync(join(tmpdir(), "k3-bench-"))
const empty = join(folder, "empty.js")
const echo = join(folder, "echo.js")
writeFileSync(empty, "")
writeFileSync(
  echo,
  String.raw`process.stdout.write("\x01\x02")
process.stdin.setEncoding("latin1").on("data", (text) => {
  for (const line of text.split("\n").slice(0, -1)) process.stdout.write(line + "\n\x01\x02")
})`,
)

const median = (all) => all.toSorted((a, b) => a - b)[all.length >> 1]
const timed = (work) => {
  const begun = performance.now()
  work()
  return performance.now() - begun
}

/** One line after the other, each when the reply to the one before is there: seconds. */
const converse = (args) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] })
    const warm = 2000
    let replies = 0
    let begun = 0
    child.stdout.on("data", (data) => {
      if (data.at(-1) !== 2) return
      replies++
      if (replies === warm) begun = performance.now()
      if (replies < warm + evaluations) return void child.stdin.write(`${replies}+2\n`)
      const seconds = (performance.now() - begun) / 1000
      child.once("exit", () => resolve(seconds))
      child.stdin.end()
    })
  })

/** All lines sent at once, after as many to warm up: seconds until the last reply. */
const stream = (args) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] })
    const lines = (from) => Array.from({ length: evaluations }, (_, i) => `${from + i}+2\n`).join("")
    let replies = -1
    let begun = 0
    child.stdout.on("data", (data) => {
      for (const byte of data) {
        if (byte !== 2) continue
        replies++
        if (replies === 0) child.stdin.write(lines(0))
        else if (replies === evaluations) {
          begun = performance.now()
          child.stdin.write(lines(evaluations))
        } else if (replies === 2 * evaluations) {
          const seconds = (performance.now() - begun) / 1000
          child.once("exit", () => resolve(seconds))
          child.stdin.end()
        }
      }
    })
  })

const start = { node: [], k3: [], deep: [] }
for (let i = 0; i < starts; i++) {
  start.node.push(timed(() => spawnSync(process.execPath, [empty])))
  start.k3.push(timed(() => spawnSync(process.execPath, [k3, "-e", "1"])))
  start.deep.push(timed(() => spawnSync(process.execPath, [k3, "-e", "{x}1"])))
}
const node = median(start.node)
const told = (what, ms) => console.log(`${what.padEnd(34)} ${ms.toFixed(1)} ms  ${(ms / node).toFixed(2)}× bare Node`)
told("node empty.js", node)
told("k3 -e 1", median(start.k3))
told("k3 -e '{x}1', with a deep stack", median(start.deep))

const rates = { echo: [], k3: [], stream: [] }
for (let i = 0; i < 3; i++) {
  rates.echo.push(evaluations / (await converse([echo])))
  rates.k3.push(evaluations / (await converse([k3, "--mcp"])))
  rates.stream.push(evaluations / (await stream([k3, "--mcp"])))
}
const [echoes, evaluated, streamed] = [median(rates.echo), median(rates.k3), median(rates.stream)]
console.log(`\necho child                         ${echoes.toFixed(0)} lines/s`)
console.log(
  `k3 --mcp                           ${evaluated.toFixed(0)} evaluations/s  ${(echoes / evaluated).toFixed(2)}× the time of an echo`,
)
console.log(
  `k3 --mcp, all lines at once        ${streamed.toFixed(0)} evaluations/s  ${((100 * evaluated) / streamed).toFixed(0)} % of the time of lines one by one`,
)
rmSync(folder, { recursive: true })

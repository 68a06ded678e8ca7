/**
 * All speed goals in one run: the benchmarks of this folder, one after the other, each with its goals and the ratios that it printed. Prints all that
 * the benchmarks print, then a Markdown table for `docs/figures.md`. The start is also measured on further programs of Node, and the cluster runs on
 * the first of them, since it needs Node 22.19. A benchmark whose requirement is missing has the reason in the place of its ratios.
 * Usage: [KONA=k] [PYTHON=python3] [K3_BUILD_DIR=folder] node bench/goals.mjs [NODE ...]
 */
import { spawnSync } from "node:child_process"
import { loadavg } from "node:os"
import { fileURLToPath } from "node:url"
import { ourServer, startServer } from "./measure.mjs"

const here = process.execPath
const others = process.argv.slice(2)

const start = (node) => [
  "spawn → `initialize` reply, against a hand-written server",
  "≤ 1.5× on Node 20, ≤ 2.2× later",
  "startup.mjs 15",
  ["k3-mcp"],
  node,
]

/** Each has a text, a goal, a command, and the beginnings of the printed lines that have the ratios. */
const goals = [
  start(here),
  ...others.map(start),
  ["`k_eval` of `1+2`, against a hand-written server: median, 99th percentile", "≤ 2× median", "evaluate.mjs 3000", ["k3-mcp"]],
  [
    "deadline → next answer, against a bare launch; death of the child → next answer, with a spare",
    "≤ 1.2×; ≤ 0.25×",
    "recovery.mjs",
    ["its reply → next", "the same with a spare"],
  ],
  ["100 MB of output, against the bare pipe, and growth of the server in MiB", "≥ 0.5×, ≤ 64 MiB", "output.mjs 5", ["k3-mcp"]],
  ["`bench/k3` against Kona: each, geometric mean", "≤ 1.2× each, ≤ 0.25×", "k3.mjs 12", ["b", "geometric mean"]],
  ["18 verbs on 10^6 items, against NumPy: each, geometric mean, and six on texts", "≤ 4× each, ≤ 0.7×", "numpy.mjs 1000000 25", [""]],
  ["CSV of 10^6 rows, against pandas: read; mean by group; write; peak memory", "≤ 2× each; ≤ 1.5×", "csv.mjs 1000000 5 csv", [""]],
  ["`k_eval` of `1+2` over HTTP, against stdio: median, 99th percentile, in both eras", "≤ 3.5× median", "http.mjs", ["HTTP"]],
  ["calls a second of 50 clients over HTTP, against the SDK's own server, in both eras", "≥ 0.6×", "http.mjs", ["k3-mcp"]],
  [
    "`k_eval` of `1+2` through the cluster, against HTTP on one machine: median",
    "≤ 3×",
    "cluster.mjs 1000 2",
    ["front end and runner"],
    others[0] ?? here,
  ],
  [
    "`k_eval` of `1+2` beside 10^6 entries of history: median, 99th percentile, MB of the server",
    "≤ 1.1× median",
    "history.mjs 1000000",
    ["1000000 entries"],
  ],
  [
    "`k_eval` of `1+2` beside 10^5 variables; 16 sessions; 50,000 entries: median, 99th percentile",
    "≤ 1.1× median",
    "holding.mjs 3000 50000",
    ["100,000 variables", "16 sessions", "50000 entries"],
  ],
  ["launch → first answer behind the fence, against none: median, least", "≤ 1.25×", "fence.mjs 11", ["embedded", "k3csharp"]],
]

/** Runs a command of this folder once, also when several goals name it. */
const ran = new Map()
const printed = (command, node) => {
  const key = `${node} ${command}`
  if (!ran.has(key)) {
    console.log(`\n## ${command} (load ${loadavg()[0].toFixed(1)})\n`)
    const [script, ...given] = command.split(" ")
    const { stdout, stderr } = spawnSync(node, [fileURLToPath(new URL(script, import.meta.url)), ...given], { encoding: "utf8" })
    console.log(stdout + stderr)
    ran.set(key, stdout + stderr)
  }
  return ran.get(key)
}

const ratios = (text, beginning) =>
  text
    .split("\n")
    .filter((line) => line.startsWith(beginning) && line.includes("×"))
    .map((line) => line.match(/[\d.]+×( +[\d.]+$)?/g).join(" "))
    .join(", ")

const sizes = async () => {
  const server = startServer([ourServer, "--engine", "embedded"])
  await server.initialize()
  const bytes = (value) => Buffer.byteLength(JSON.stringify(value))
  const all = [await server.request("tools/list"), await server.evaluate("1+1")].map(bytes)
  await server.close()
  return ["bytes of `tools/list`; of the reply to `1+1`", "≤ 14,336; ≤ 250", all.join("; ")]
}

const table = [await sizes()]
for (const [what, goal, command, beginnings, node = here] of goals) {
  const text = printed(command, node)
  const found = beginnings.map((beginning) => ratios(text, beginning)).filter((each) => each !== "")
  const on = /node (v\d+)/.exec(text)?.[1]
  table.push([on === undefined || node === here ? what : `${what} (Node ${on})`, goal, found.join("; ") || text.trim().split("\n").at(-1)])
}
console.log(`${new Date().toISOString().slice(0, 16)}, Node ${process.version}, load ${loadavg()[0].toFixed(1)}`)
console.log(["| what | goal | measured |", "| --- | --- | --- |", ...table.map((row) => `| ${row.join(" | ")} |`)].join("\n"))

/**
 * `npm run try`: the product in one page. A real MCP client starts the built server over stdio and works through a session. Prints each call and
 * its reply with the milliseconds. Exit code 1 if any reply is wrong. The built-in interpreter answers, so that all machines print the same.
 */
import { fileURLToPath } from "node:url"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"

const bold = (text) => (process.stdout.isTTY && !process.env.NO_COLOR ? `\x1b[1m${text}\x1b[0m` : text)
const indent = (text) =>
  String(text)
    .trimEnd()
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n")

let failures = 0

/** Runs one step, prints it as a person would tell it, and holds what came back against what should have. */
const step = async (title, asked, run, expected) => {
  console.log(`\n${bold(title)}`)
  if (asked !== "") console.log(asked.replaceAll(/^/gm, "  > "))
  const begun = performance.now()
  let shown
  let well
  try {
    const result = await run()
    shown = typeof result === "string" ? result : result.content.map((block) => block.text).join("\n")
    well = expected(result.structuredContent ?? {}, result, shown)
  } catch (error) {
    shown = String(error)
    well = false
  }
  console.log(indent(shown))
  console.log(`  ${well ? "as it should be" : "NOT AS IT SHOULD BE"}, ${(performance.now() - begun).toFixed(1)} ms`)
  if (!well) failures++
}

const client = new Client({ name: "k3-mcp-try", version: "1.0.0" })
const call = (name, args) => client.callTool({ name, arguments: args }, { timeout: 30_000 })
const evaluate = (title, code, expected, rest = {}) => step(title, code, () => call("k_eval", { code, ...rest }), expected)

console.log(bold("k3-mcp: a persistent, supervised K3 session, seen by the program that an agent uses to talk to it"))

await step(
  "The client starts the server and asks which tools it has",
  "",
  async () => {
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [fileURLToPath(new URL("../dist/k3-mcp.js", import.meta.url)), "--engine", "embedded", "--state-dir", "none"],
        stderr: "ignore",
      }),
    )
    const { tools } = await client.listTools()
    return tools.map((tool) => `${tool.name.padEnd(10)} ${tool.title}`).join("\n")
  },
  (_, __, shown) => ["k_eval", "k_inspect", "k_status"].every((name) => shown.includes(name)),
)

await evaluate("Arithmetic: K reads from right to left", "2*3+4", ({ output, ok }) => ok && output.trim() === "14")

await evaluate(
  "A function of several lines: a newline inside a bracket separates, and } stands behind the last expression",
  "stats:{[x]\n  n:#x\n  mean:(+/x)%n\n  (n;mean;|/x)}\nstats 3 1 4 1 5",
  ({ output, ok }) => ok && output.trim() === "(5;2.8;5)",
)

await evaluate(
  "An error of K is an answer: its name, the place, and what to do next",
  "v:1 2 3\nv+1 2",
  ({ ok, error }, result) => ok === false && error.name === "length" && error.line === 2 && result.isError !== true,
)

await evaluate("What an evaluation defines is there in the next one", "+/v", ({ output, ok }) => ok && output.trim() === "6")

await step(
  "Looking at the session's variables",
  "",
  () => call("k_inspect", {}),
  ({ entries }) => ["stats", "v"].every((name) => entries.some((entry) => entry.name === name)),
)

await evaluate(
  "A runaway loop meets its deadline: the reply says what hung and what became of the variables",
  "i:0\nwhile[1;i+:1]",
  ({ ok, error }, result) => result.isError === true && ok === false && error.text.includes("while[1;i+:1]"),
  { timeout_ms: 1000 },
)

await evaluate(
  "The next evaluation is answered, by the same interpreter with the same variables",
  "(i>0;+/v)",
  ({ output, ok, generation }) => ok && output.trim() === "1 6" && generation === 1,
)

await step(
  "What runs, on which engine and why",
  "",
  () => call("k_status", {}),
  ({ engine, phase, pid }) => engine === "embedded" && phase === "ready" && pid > 0,
)

console.log(`\n${failures === 0 ? bold("All steps were as they should be.") : `${failures} step(s) were not as they should be.`}`)
await client.close()
process.exitCode = failures === 0 ? 0 : 1

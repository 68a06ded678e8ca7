/**
 * The official conformance suite of MCP against the server over HTTP, for both revisions of the protocol: its own transports, guards and
 * dispatch, with the fixtures that the suite wants mounted beside its tools. `node test/conformance/run.mjs [FILE]`, after a build; FILE
 * gets the counts and the failed scenarios as the test runner reports them. Skipped by name where the suite, or a Node that it runs on, cannot
 * be had. Exit code 1 when a scenario fails.
 *
 * The suite sends no token: a small proxy adds it, and hands on everything else as it is.
 */
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"

const version = "0.2.0-alpha.12"
const revisions = ["2025-11-25", "2026-07-28"]
const root = fileURLToPath(new URL("../../", import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), "k3-conformance-"))
const node = `node-${process.platform}-${process.arch}`

const counts = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 }
/** A row for each revision with scenarios that failed, in the shape of the test runner's report. */
const testResults = []
const end = () => {
  if (process.env.K3_TEST_DEBUG === undefined) rmSync(scratch, { recursive: true, force: true })
  if (process.argv[2] !== undefined) writeFileSync(process.argv[2], JSON.stringify({ ...counts, numTodoTests: 0, testResults }))
  process.exit(counts.numFailedTests === 0 ? 0 : 1)
}

const fetched = (...packages) =>
  spawnSync("npm", ["install", "--prefix", scratch, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", ...packages], {
    encoding: "utf8",
    cwd: scratch,
    timeout: 120_000,
  })

const { status, stderr } = fetched(`@modelcontextprotocol/conformance@${version}`, `${node}@22`)
const program = join(scratch, "node_modules", node, "bin", "node")
const suite = join(scratch, "node_modules/@modelcontextprotocol/conformance/dist/index.js")
if (status !== 0 || !existsSync(program)) {
  for (const revision of revisions)
    console.log(`skipped: conformance ${revision}: the suite cannot be had: ${stderr.trim().split("\n").at(-1)}`)
  counts.numPendingTests = revisions.length
  end()
}

const file = join(scratch, "server.mjs")
await build({
  input: join(root, "test/conformance/server.ts"),
  platform: "node",
  logLevel: "silent",
  output: { file, format: "esm", codeSplitting: false },
})
const state = join(scratch, "state")
mkdirSync(state)
const server = spawn(process.execPath, [file, "--engine", "embedded", "--listen", "127.0.0.1:0", "--no-stdio", "--state-dir", state], {
  cwd: scratch,
  stdio: ["ignore", "inherit", "pipe"],
  env: { ...process.env, K3_PROGRAM: join(root, "dist/k3.js") },
})
const url = await new Promise((resolve, reject) => {
  let log = ""
  server.stderr.setEncoding("utf8").on("data", (chunk) => {
    log += chunk
    const found = /listening at (http:\S+\/mcp)/.exec(log)
    if (found !== null) resolve(new URL(found[1]))
  })
  server.once("exit", () => reject(new Error(`the server ended: ${log}`)))
})
const authorization = `Bearer ${readFileSync(join(state, "token"), "utf8").trim()}`

const proxy = createServer((asked, to) => {
  const { method, headers, url: path } = asked
  const on = request({ host: url.hostname, port: url.port, path, method, headers: { ...headers, authorization } }, (answer) => {
    to.writeHead(answer.statusCode, answer.headers)
    to.flushHeaders()
    answer.pipe(to)
  })
  on.on("error", () => to.destroy())
  to.on("close", () => on.destroy())
  asked.pipe(on)
})
await new Promise((resolve) => void proxy.listen(0, "127.0.0.1", resolve))

const run = (revision) =>
  new Promise((resolve) => {
    const out = join(scratch, revision)
    const address = `http://127.0.0.1:${proxy.address().port}/mcp`
    const child = spawn(program, [suite, "server", "--url", address, "--requirements", revision, "-o", out], { cwd: scratch })
    let said = ""
    child.stdout.on("data", (chunk) => (said += chunk))
    child.stderr.on("data", (chunk) => (said += chunk))
    child.once("exit", (code) => resolve({ code, said }))
  })

/** Each scenario by its mark, without those that the revision does not score. */
const scenarios = (said) => {
  const [all, unscored = ""] = said.split(/^Not scored/m)
  const left = new Set([...unscored.matchAll(/^\s*[✓✗] (\S+)/gm)].map(([, name]) => name))
  return [...all.matchAll(/^([✓✗]) (\S+):/gm)].map(([, mark, name]) => ({ name, well: mark === "✓" })).filter(({ name }) => !left.has(name))
}

/** The errors of a scenario's checks, which the suite writes to a folder named after the scenario and its time. */
const errors = (revision, name) => {
  const out = join(scratch, revision)
  const folders = readdirSync(out).filter((folder) => folder.startsWith(`server-${name}-2`))
  const checks = folders.flatMap((folder) => JSON.parse(readFileSync(join(out, folder, "checks.json"), "utf8")))
  return checks.filter(({ status }) => status === "FAILURE").map(({ id, errorMessage }) => `${id}: ${errorMessage}`)
}

for (const revision of revisions) {
  const { code, said } = await run(revision)
  const scored = scenarios(said)
  const failed = scored.filter(({ well }) => !well)
  counts.numPassedTests += scored.length - failed.length
  counts.numFailedTests += failed.length === 0 && code !== 0 ? 1 : failed.length
  console.log(`conformance ${revision}: ${scored.length - failed.length} of ${scored.length}`)
  for (const { name } of failed) console.log(`  failed: ${name}`)
  if (failed.length > 0 || code !== 0)
    testResults.push({
      name: `conformance ${revision}`,
      status: "failed",
      message: `exit code ${code}`,
      assertionResults: failed.map(({ name }) => ({ status: "failed", fullName: name, failureMessages: errors(revision, name) })),
    })
  if (code !== 0 && (failed.length === 0 || process.env.K3_TEST_DEBUG !== undefined)) console.log(said)
}
proxy.close()
proxy.closeAllConnections()
server.kill("SIGTERM")
end()

/**
 * The Inspector's command line against the built server, in both protocol eras: lists judged strictly, calls well and not. Not part of the
 * suite, since npx fetches it: `node test/hosts/inspector.mjs [VERSION]`. Exit code 1 when something is not as it should be.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const version = process.argv[2] ?? "2.12.0"
const server = fileURLToPath(new URL("../../dist/k3-mcp.js", import.meta.url))
const home = mkdtempSync(join(tmpdir(), "k3-inspector-"))

const inspect = (era, ...args) =>
  spawnSync(
    "npx",
    [
      "-y",
      `@modelcontextprotocol/inspector@${version}`,
      "--cli",
      process.execPath,
      server,
      ...args,
      "--protocol-era",
      era,
      "--format",
      "json",
    ],
    // Its own settings go to a home of its own; npm's cache stays where it is.
    {
      encoding: "utf8",
      cwd: home,
      env: {
        ...process.env,
        HOME: home,
        npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME ?? home, ".npm"),
        K3_STATE_DIR: "none",
      },
    },
  )

const evaluation = (code, timeout_ms = 20_000) => [
  "--method",
  "tools/call",
  "--tool-name",
  "k_eval",
  "--tool-args-json",
  JSON.stringify({ code, timeout_ms }),
]
/** @type {readonly [name: string, args: string[], code: number, said: RegExp][]} */
const checks = [
  ["tools/list --strict", ["--method", "tools/list", "--strict"], 0, /"k_eval"/],
  ["resources/list", ["--method", "resources/list"], 0, /k3:\/\/status/],
  ["resources/templates/list", ["--method", "resources/templates/list"], 0, /k3:\/\//],
  ["prompts/list", ["--method", "prompts/list"], 0, /"name"/],
  ["k_eval 1+1", evaluation("1+1"), 0, /"output": ?"2\\n"/],
  ["k_eval that fails in K", evaluation("1+`a"), 0, /type error/],
  ["k_eval over its deadline is an error of the call", evaluation("while[1;x:1]", 4000), 5, /deadline/],
  ["no such tool", ["--method", "tools/call", "--tool-name", "nothing"], 5, /nothing|not found/],
]

let failed = 0
for (const era of ["legacy", "modern"])
  for (const [name, args, code, said] of checks) {
    const { status, stdout, stderr } = inspect(era, ...args)
    const well = status === code && said.test(stdout + stderr)
    if (!well) failed++
    console.log(`${well ? "well    " : "NOT WELL"} ${era.padEnd(7)} ${name}`)
    if (!well) console.log(`exit code ${status}, expected ${code}\n${stdout.slice(0, 2000)}${stderr.slice(0, 2000)}`)
  }
rmSync(home, { recursive: true, force: true })
console.log(`${checks.length * 2} checks, ${failed} not well (inspector ${version})`)
process.exitCode = failed === 0 ? 0 : 1

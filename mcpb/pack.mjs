/**
 * `npm run mcpb`: the built server as a bundle that desktop hosts install, validated by the bundles' own tool. The first argument is the file to
 * write; `dist/k3-mcp.mcpb` without one.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { packExtension } from "@anthropic-ai/mcpb"

const root = join(import.meta.dirname, "..")
const outputPath = resolve(process.argv[2] ?? join(root, "dist/k3-mcp.mcpb"))

/** What the server needs to run, and the licence. */
const files = ["dist/k3-mcp.js", "dist/k3.js", "dist/package.json", "package.json", "LICENSE"]

const extensionPath = mkdtempSync(join(tmpdir(), "k3-mcpb-"))
try {
  for (const file of files) {
    mkdirSync(dirname(join(extensionPath, file)), { recursive: true })
    cpSync(join(root, file), join(extensionPath, file))
  }
  cpSync(join(root, "mcpb/manifest.json"), join(extensionPath, "manifest.json"))
  if (!(await packExtension({ extensionPath, outputPath, silent: true }))) {
    console.error("the bundle was not made: its manifest is not valid; npx mcpb validate mcpb/manifest.json says why")
    process.exitCode = 1
  }
} finally {
  rmSync(extensionPath, { recursive: true, force: true })
}

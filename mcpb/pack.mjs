/**
 * `npm run mcpb`: the built server as a bundle that desktop hosts install, validated by the bundles' own tool. The first argument is the file to
 * write; `dist/k3-mcp.mcpb` without one.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { packExtension } from "@anthropic-ai/mcpb"

const root = join(import.meta.dirname, "..")
const outputPath = resolve(process.argv[2] ?? join(root, "dist/k3-mcp.mcpb"))

/** The programs of the npm package. Names in its `files` have at most one star. */
const published = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).files.map(
  (name) => new RegExp(`^${name.replace("*", ".*")}$`),
)
const programs = readdirSync(join(root, "dist"))
  .map((name) => `dist/${name}`)
  .filter((path) => published.some((pattern) => pattern.test(path)))

const extensionPath = mkdtempSync(join(tmpdir(), "k3-mcpb-"))
try {
  for (const path of [...programs, "package.json", "LICENSE"]) cpSync(join(root, path), join(extensionPath, path), { recursive: true })
  cpSync(join(root, "mcpb/manifest.json"), join(extensionPath, "manifest.json"))
  if (!(await packExtension({ extensionPath, outputPath, silent: true }))) {
    console.error("the bundle was not made: its manifest is not valid; npx mcpb validate mcpb/manifest.json says why")
    process.exitCode = 1
  }
} finally {
  rmSync(extensionPath, { recursive: true, force: true })
}

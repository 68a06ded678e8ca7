/** TypeScript of this repository as a file that Node 20 can run in a process of its own. */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "rolldown"

/** Bundles `entry` into a new folder; gives that folder and the file in it. */
export const bundled = async (entry: string): Promise<{ readonly folder: string; readonly file: string }> => {
  const folder = mkdtempSync(join(tmpdir(), "k3-mcp-bundle-"))
  const file = join(folder, "entry.mjs")
  await build({ input: entry, platform: "node", logLevel: "silent", output: { file, format: "esm", minify: true, codeSplitting: false } })
  return { folder, file }
}

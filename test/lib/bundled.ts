/** Bundles TypeScript of this repository into a file that Node 20 can run as a process. */
import { join } from "node:path"
import { build } from "rolldown"
import { makeScratch } from "./scratchFolder.ts"

/** Bundles `entry` into a new folder; returns the folder and the file. */
export const bundled = async (entry: string): Promise<{ readonly folder: string; readonly file: string }> => {
  const folder = makeScratch()
  const file = join(folder, "entry.mjs")
  await build({ input: entry, platform: "node", logLevel: "silent", output: { file, format: "esm", minify: true, codeSplitting: false } })
  return { folder, file }
}

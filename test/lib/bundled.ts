/** TypeScript of this repository as a file that Node 20 can run in a process of its own. */
import { join } from "node:path"
import { build } from "rolldown"
import { makeScratch } from "./scratchFolder.ts"

/** Bundles `entry` into a new folder; gives that folder and the file in it. */
export const bundled = async (entry: string): Promise<{ readonly folder: string; readonly file: string }> => {
  const folder = makeScratch()
  const file = join(folder, "entry.mjs")
  await build({ input: entry, platform: "node", logLevel: "silent", output: { file, format: "esm", minify: true, codeSplitting: false } })
  return { folder, file }
}

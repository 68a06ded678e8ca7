/** Makes a build folder with `standIn.mjs` in place of K3CSharp. */
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { scratchFolder } from "../e2e/server.ts"

/** `launch`: the content of `launch.txt` (see `standIn.mjs`). */
export const writeStandIn = (launch = "", folder = scratchFolder()): string => {
  mkdirSync(folder, { recursive: true })
  copyFileSync(join(import.meta.dirname, "standIn.mjs"), join(folder, "standIn.mjs"))
  writeFileSync(join(folder, "launch.txt"), launch)
  writeFileSync(join(folder, "K3CSharp.dll"), "stands in")
  const program = join(folder, "K3CSharp")
  // The Node of the path, as for the toy build: the fence hides a Node that is installed in the home folder.
  writeFileSync(program, `#!/bin/sh\nexec node "$(dirname "$0")/standIn.mjs" "$@"\n`)
  chmodSync(program, 0o755)
  return folder
}

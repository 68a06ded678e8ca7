/** A build of the toy interpreter (`toyChild.mjs`). */
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Writes a whole build; `text`: the content of its main file, which distinguishes builds. */
export const writeBuild = (folder: string, text: string): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "K3CSharp.dll"), text)
  copyFileSync(join(import.meta.dirname, "toyChild.mjs"), join(folder, "K3CSharp"))
  chmodSync(join(folder, "K3CSharp"), 0o755)
}

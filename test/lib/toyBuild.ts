/** A folder with a build of the toy interpreter (`toyChild.mjs`), removed when the scope closes. */
import * as Effect from "effect/Effect"
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeScratch } from "./scratchFolder.ts"

/** A temporary folder, removed when the scope closes. */
export const temporary = Effect.acquireRelease(Effect.sync(makeScratch), (folder) =>
  Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
)

/** Writes a whole build; `text`: the content of its main file, which distinguishes builds. */
export const writeBuild = (folder: string, text: string): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "K3CSharp.dll"), text)
  copyFileSync(join(import.meta.dirname, "toyChild.mjs"), join(folder, "K3CSharp"))
  chmodSync(join(folder, "K3CSharp"), 0o755)
}

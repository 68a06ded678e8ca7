/** G13: the folders in which programs are looked for. */
import { mkdirSync, realpathSync, symlinkSync } from "node:fs"
import { delimiter, join } from "node:path"
import { expect, it } from "vitest"
import { programPath } from "../../src/platform/programPath.ts"
import { scratchFolder } from "../repl/interpreter.ts"

it("G13 a folder in a root that is missing, a root itself, or named by no absolute path is left out", () => {
  const base = realpathSync(scratchFolder())
  const root = join(base, "root")
  mkdirSync(join(root, "there"), { recursive: true })
  symlinkSync(root, join(base, "link"))
  const kept = ["/usr/bin", join(root, "there"), join(base, "missing")]
  const open = [join(root, "missing"), join(root, "missing/deep"), root, join(base, "link"), join(base, "link/missing")]
  const path = [kept[0], ...open, ...kept.slice(1)].join(delimiter)
  expect(programPath(path, [root])).toBe(kept.join(delimiter))
  expect(programPath(["", ".", "bin", "/usr/bin"].join(delimiter), [process.cwd()])).toBe("/usr/bin")
  expect(programPath(["", "/usr/bin"].join(delimiter), [root])).toBe(["", "/usr/bin"].join(delimiter))
})

it("G13 a link in a root, which K code could replace, is followed before", () => {
  const base = realpathSync(scratchFolder())
  const root = join(base, "root")
  for (const folder of ["root/there/bin", "store/bin"]) mkdirSync(join(base, folder), { recursive: true })
  symlinkSync(join(base, "store"), join(root, "profile"))
  symlinkSync("there", join(root, "inner"))
  symlinkSync(root, join(base, "link"))
  const path = ["root/profile/bin", "root/inner/bin", "link/profile/bin", "link/there"].map((folder) => join(base, folder))
  const real = ["store/bin", "root/there/bin", "store/bin", "root/there"].map((folder) => join(base, folder))
  for (const roots of [[root], [join(base, "link")]]) expect(programPath(path.join(delimiter), roots)).toBe(real.join(delimiter))
})

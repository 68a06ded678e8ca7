/** The module as somebody who installed the package has it. */
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"

export const root = join(import.meta.dirname, "../..")
export const moduleFile = join(root, "dist/interpreter.mjs")

/** Makes the package importable by its name from a folder. */
export const installedIn = (folder: string): void => {
  mkdirSync(join(folder, "node_modules"))
  symlinkSync(root, join(folder, "node_modules/k3-mcp"), "junction")
}

/** K and its prints, in one session: each statement has the variables of those before it. */
export const shown: readonly (readonly [code: string, prints: string])[] = [
  ["2*3+4", "14\n"],
  ["m:3 3#!9\n+/m", "9 12 15\n"],
  ["f:{:[x<2;x;_f[x-1]+_f[x-2]]}\nf'!10", "0 1 1 2 3 5 8 13 21 34\n"],
  ['"banana" _ss "an"', "1 3\n"],
  ["a:1.0*3 3#!9\n(a _mul a)0", "15 18 21.0\n"],
  ["+/!1000000", "1783293664\n"],
  ["x:10000#1 2 3\n+/x=2", "3333\n"],
  ["(_jd 20261122;_dj 0)", "-2962 20350101\n"],
]

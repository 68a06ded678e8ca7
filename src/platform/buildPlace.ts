/**
 * The default folder of the K3CSharp build: searched in the working folder, then in each folder above it up to the root of the
 * repository. Guarantees: a folder with a build is preferred to one with only the sources; without a repository only the working
 * folder is searched. Does not: search again later.
 */
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import type { BuildPlace } from "../Settings.ts"

const signs = [
  ["K3CSharp/bin/Debug/net8.0/K3CSharp.dll", "a build is there"],
  ["K3CSharp/K3CSharp.csproj", "its sources are there"],
] as const

/** The folder and the folders above it, up to the one with `.git`; only the folder itself if none has `.git`. */
const upwards = (cwd: string): readonly string[] => {
  const folders = [cwd]
  while (!existsSync(join(folders.at(-1)!, ".git"))) {
    const above = dirname(folders.at(-1)!)
    if (above === folders.at(-1)) return [cwd]
    folders.push(above)
  }
  return folders
}

export const buildPlace = (cwd: string): BuildPlace => {
  const folders = upwards(cwd)
  for (const [sign, what] of signs)
    for (const folder of folders)
      if (existsSync(join(folder, sign)))
        return {
          folder,
          why: folder === cwd ? `the default, in the working folder: ${what}` : `found above the working folder, in ${folder}: ${what}`,
        }
  const searched = folders.length === 1 ? cwd : `${cwd} or above it up to ${folders.at(-1)}`
  return { folder: cwd, why: `the default; no build or sources were found in ${searched}` }
}

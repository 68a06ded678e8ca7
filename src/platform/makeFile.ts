/** Makes a file, and its missing folders, with access for its owner alone. The file appears whole. */
import { randomInt } from "node:crypto"
import { linkSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { makeFolder } from "../repl/makeFolder.ts"

/** False if the file exists. Throws the system's error. */
export const makeFile = (file: string, line: string): boolean => {
  makeFolder(dirname(file))
  // Not the process id: in a container it is the same at each start, and a killed process leaves its draft.
  const draft = `${file}.${randomInt(2 ** 47)}.k3-draft`
  try {
    writeFileSync(draft, `${line}\n`, { mode: 0o600, flag: "wx" })
    linkSync(draft, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    return false
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Makes a file, and its missing folders, with access for its owner alone. The file appears whole. */
import { linkSync, unlinkSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { makeFolder } from "../repl/makeFolder.ts"

/** False if the file exists. Throws the system's error. */
export const makeFile = (file: string, line: string): boolean => {
  makeFolder(dirname(file))
  const draft = `${file}.${process.pid}.k3-draft`
  writeFileSync(draft, `${line}\n`, { mode: 0o600, flag: "wx" })
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    return false
  } finally {
    unlinkSync(draft)
  }
}

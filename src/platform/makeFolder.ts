/**
 * Makes a folder for its owner alone, with those above it that are not there. Throws the system's error. Does not: change a folder that is there.
 * Node's own way (`recursive`) goes round for ever where the system says of a parent that is there that it is not, as under `/proc`.
 */
import { existsSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"

export const makeFolder = (folder: string): void => {
  if (existsSync(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) makeFolder(parent)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  }
}

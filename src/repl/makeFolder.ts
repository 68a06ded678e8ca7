/**
 * Makes a folder, and its missing parents, with access for its owner alone. Throws the system's error. Does not: change an existing folder.
 * Node's own `recursive` loops for ever if the system reports an existing parent as missing, as under `/proc`.
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
    // Another process made it first.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  }
}

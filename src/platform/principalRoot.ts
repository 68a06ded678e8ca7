/** Makes the root of a principal, if it does not exist, with access for its owner alone. */
import { lstatSync, realpathSync } from "node:fs"
import { makeFolder } from "../repl/makeFolder.ts"

/** Returns the root's real path. Throws an error with a sentence if the folder cannot be used. */
export const principalRoot = (folder: string): string => {
  try {
    makeFolder(folder)
  } catch (error) {
    throw new Error(`The folder ${folder} of this principal cannot be made: ${(error as NodeJS.ErrnoException).code}.`, {
      cause: error,
    })
  }
  if (!lstatSync(folder).isDirectory())
    throw new Error(`The folder ${folder} of this principal is not a folder; a link could lead anywhere.`)
  return realpathSync(folder)
}

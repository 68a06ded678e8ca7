/** The folder that K reads and writes for a principal: made for its owner alone when it is not there. */
import { lstatSync, realpathSync } from "node:fs"
import { makeFolder } from "./makeFolder.ts"

/** Its real path. Throws with a sentence when it cannot be used. */
export const principalRoot = (folder: string): string => {
  try {
    makeFolder(folder)
  } catch (error) {
    throw new Error(`The folder ${folder} of this principal cannot be made: ${(error as NodeJS.ErrnoException).code}.`, {
      cause: error,
    })
  }
  if (!lstatSync(folder).isDirectory()) throw new Error(`The folder ${folder} of this principal is a link, which could lead anywhere.`)
  return realpathSync(folder)
}

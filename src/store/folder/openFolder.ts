/**
 * Opens the state folder, or says why nothing can be kept in it.
 *
 * Guarantees: a folder that others own or may write to is not used, nor one that another server works with; the lock is held until the
 * scope is closed; what earlier servers were writing when they ended is gone.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { Machine } from "../../child/Machine.ts"
import { draftEnding } from "./durable.ts"
import { Lock } from "./Lock.ts"
import { isForeign, isOpen } from "../../child/ownership.ts"
import { systemReason } from "../../child/systemReason.ts"

const nothingKept = "nothing is kept on disk"

/** What is wrong with whose folder it is, and who else may write to it. */
const flawOf = Effect.fnUntraced(function* (folder: string) {
  const machine = yield* Machine
  const fs = yield* FileSystem.FileSystem
  const info = yield* fs.stat(folder)
  if (isForeign(machine, info)) return "belongs to another user"
  return isOpen(machine, info, 0o022) ? "may be written by other users" : undefined
})

const sweep = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const names = yield* fs.readDirectory(folder, { recursive: true })
  for (const name of names.filter((each) => each.endsWith(draftEnding))) yield* fs.remove(paths.join(folder, name), { force: true })
})

/** Made where there is none. Gives a sentence when it cannot be used. */
export const openFolder = Effect.fnUntraced(
  function* (folder: string) {
    const fs = yield* FileSystem.FileSystem
    const lock = yield* Lock
    yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
    const flaw = yield* flawOf(folder)
    if (flaw !== undefined) return `The state folder ${folder} ${flaw}: ${nothingKept}. Set K3_STATE_DIR to a folder of your own.`
    if (!(yield* lock.take(yield* fs.realPath(folder))))
      return `Another k3-mcp server works with the state folder ${folder}: ${nothingKept} by this one. Another K3_STATE_DIR gives it a folder of its own.`
    yield* sweep(folder)
    return undefined
  },
  (effect, folder) =>
    Effect.catchTag(effect, "PlatformError", (error) =>
      Effect.succeed(`The state folder ${folder} cannot be used (${systemReason(error)}): ${nothingKept}.`),
    ),
)

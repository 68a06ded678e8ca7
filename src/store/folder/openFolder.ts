/**
 * Opens the state folder, or gives the reason why it cannot be used.
 *
 * Guarantees: a folder is refused when other users own it or may write to it, when another server uses it, or when it cannot be locked. The
 * lock is held until the scope closes. Unfinished files of earlier servers are removed, and no others. A link in the folders of this program is
 * set aside, so that no path leads out of them; so is a pipe, a socket or a device, since to read one may take for ever.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import { flawOf, Machine } from "../../child/Machine.ts"
import { systemReason } from "../../child/systemReason.ts"
import { asideOf, atOnce, isAside, isDraft, lockFile, ownFolders } from "./layout.ts"
import { Lock } from "./Lock.ts"

const nothingKept = "nothing is kept on disk"

export const makeOpenFolder = Effect.gen(function* () {
  const machine = yield* Machine
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const lock = yield* Lock

  /** Removes drafts, and sets aside all that is neither a file nor a folder; gives a sentence for each. */
  const sweep: (path: string) => Effect.Effect<readonly string[], PlatformError> = Effect.fnUntraced(function* (path) {
    const { type } = yield* fs.lstat(path)
    if (type !== "File" && type !== "Directory") {
      const what = type === "SymbolicLink" ? "a link, which could lead anywhere" : "neither a file nor a folder"
      const aside = asideOf(path, new Date(yield* Clock.currentTimeMillis).toISOString(), 0)
      yield* fs.rename(path, aside)
      return [`${path} is ${what}. It was put aside as ${paths.basename(aside)}.`]
    }
    if (type === "File") {
      if (isDraft(paths.basename(path))) yield* fs.remove(path, { force: true })
      return []
    }
    const names = (yield* fs.readDirectory(path)).filter((name) => !isAside(name))
    return (yield* Effect.forEach(names, (name) => sweep(paths.join(path, name)), { concurrency: atOnce })).flat()
  })

  const sweepAll = Effect.fnUntraced(function* (folder: string) {
    const there = new Set(yield* fs.readDirectory(folder))
    const own = ownFolders.filter((name) => there.has(name))
    return (yield* Effect.forEach(own, (name) => sweep(paths.join(folder, name)))).flat()
  })

  /**
   * Opens the folder, and makes it if it is missing. `problem`: a sentence, when it cannot be used; `isHeld`: another server uses it. `isOurs`:
   * whether the lock file is still ours. `id`: differs for another folder. `foreign`: a sentence for each link, pipe, socket or device that was
   * set aside.
   */
  return Effect.fnUntraced(
    function* (folder: string, make: (folder: string) => Effect.Effect<void, PlatformError>) {
      const unusable = (problem: string, isHeld = false) => ({ problem, isHeld })
      yield* make(folder)
      const { uid, mode, dev, ino } = yield* fs.stat(folder)
      const flaw = flawOf(machine, { uid: Option.getOrUndefined(uid), mode })
      if (flaw !== undefined)
        return unusable(`The state folder ${folder} ${flaw}: ${nothingKept}. Set K3_STATE_DIR to a folder of your own.`)
      const taken = yield* lock.take(paths.join(yield* fs.realPath(folder), lockFile))
      if (taken === "held")
        return unusable(
          `Another k3-mcp server works with the state folder ${folder}: ${nothingKept} by this one until that one ends. Another K3_STATE_DIR gives it a folder of its own.`,
          true,
        )
      if ("why" in taken)
        return unusable(
          `The state folder ${folder} cannot be locked (${taken.why}), and two servers could overwrite each other's work: ${nothingKept}. ${taken.remedy}`,
        )
      return { isOurs: taken.isOurs, id: `${dev} ${Option.getOrElse(ino, () => 0n)}`, foreign: yield* sweepAll(folder) }
    },
    (effect, folder) =>
      Effect.catchTag(effect, "PlatformError", (error) =>
        Effect.succeed({ isHeld: false, problem: `The state folder ${folder} cannot be used (${systemReason(error)}): ${nothingKept}.` }),
      ),
  )
})

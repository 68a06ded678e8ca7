/**
 * Possession of the state folder, which one server has at a time.
 *
 * Guarantees: the folder is opened on first use, so an unused server makes none. A folder that another server has, or that cannot be opened, is
 * tried again: on the next use, and repeatedly; less often while attempts take long. When the folder may have data that this server has not read,
 * `takenOver` tells the services, which then read it again. Stored sessions that this server did not read, of another server or in a folder put in
 * the place of ours, get other names when it has used theirs. Does not: read or write files in the folder; notice documents in a folder put in the place of ours.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberHandle from "effect/FiberHandle"
import * as Latch from "effect/Latch"
import type { PlatformError } from "effect/PlatformError"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { monotonic } from "../../elapsed.ts"
import { makeOpenFolder } from "./openFolder.ts"
import type { Trouble } from "../Trouble.ts"

/** Time between two attempts to open the folder, in ms: between repeated attempts, and at least between attempts on use. */
const retry = 5000
const leastRetry = 500
/** Failed attempts take at most a fifth of the time, since uses of the folder wait for an attempt. */
const spacing = 5

interface Parts {
  /** Null when the settings turn the store off. */
  readonly folder: string | null
  readonly makeFolder: (folder: string) => Effect.Effect<void, PlatformError>
  readonly trouble: Trouble
  /** Renames a stored session of an earlier server whose name this server has used. The result completes "What an earlier server kept of …". */
  readonly beside: (path: string) => Effect.Effect<string | undefined>
}

export const makePossession = Effect.fnUntraced(function* ({ folder, makeFolder, trouble, beside }: Parts) {
  const openFolder = yield* makeOpenFolder
  const scope = yield* Effect.scope
  const now = yield* monotonic
  const locking = yield* Semaphore.make(1)
  const takingOver = yield* Latch.make()
  const trying = yield* FiberHandle.make<void, never>()
  let isOpen = false
  /** Another server had the folder at the last attempt. */
  let isHeld = false
  /** An attempt has failed, and the folder may have data that this server has not read. */
  let isUnread = false
  /** The next attempt is not made before this time. */
  let dueAt = Number.NEGATIVE_INFINITY
  let isLockOurs: Effect.Effect<boolean> | undefined
  /** Holds the lock. */
  let locked: Scope.Closeable | undefined
  /** The folder that was opened last. */
  let id: string | undefined
  /**
   * Folders of sessions that this server used. A state folder that it has not read, or another one in the place of it, may have other sessions of
   * these names.
   */
  const used = new Set<string>()
  let takeovers = 0

  /** Renames the stored sessions whose names are used. Gives a sentence about them, empty when there are none. */
  const besideUsed = Effect.map(Effect.forEach(used, beside), (each) => {
    const names = each.filter((name) => name !== undefined)
    return names.length === 0 ? "" : ` What an earlier server kept of ${names.join(", of ")}.`
  })
  const begins = (why: string, kept: string) =>
    trouble.report("taken over", `${why}: this server keeps its sessions in ${folder} from now on.${kept}`)

  const tookOver = Effect.gen(function* () {
    takeovers++
    yield* begins(isHeld ? "The other k3-mcp server has ended" : "The state folder can be used now", yield* besideUsed)
    yield* takingOver.release
  })

  const open = Effect.gen(function* () {
    const began = now()
    if (locked !== undefined) {
      // Otherwise it would keep this server itself out of a folder that was moved away and back.
      yield* Scope.close(locked, Exit.void)
      locked = undefined
      isLockOurs = Effect.succeed(false)
    }
    // A scope of its own, so that after a failure the lock's file is closed at once.
    const own = yield* Scope.fork(scope)
    const opened = yield* Scope.provide(openFolder(folder!, makeFolder), own)
    if ("problem" in opened) {
      yield* Scope.close(own, Exit.void)
      yield* trouble.report("folder", opened.problem)
      dueAt = began + Math.max(leastRetry, spacing * (now() - began))
      isHeld = opened.isHeld
      // From now on another server may write the folder. Before, the sessions were those of the folder.
      if (!isUnread && isHeld && id !== undefined) used.clear()
      isUnread ||= isHeld || id === undefined
      yield* FiberHandle.run(trying, tryAgain, { onlyIfMissing: true })
      return (isOpen = false)
    }
    trouble.resolve("folder")
    isLockOurs = opened.isOurs
    locked = own
    for (const each of opened.foreign) yield* trouble.report(each, each)
    if (isUnread) yield* tookOver
    else if (id !== undefined && id !== opened.id) {
      const kept = yield* besideUsed
      if (kept !== "") yield* begins("Another state folder is in the place of the earlier one", kept)
    }
    id = opened.id
    isHeld = isUnread = false
    return (isOpen = true)
  })

  /** Uninterruptible, since the first caller opens the folder for all. */
  const available: Effect.Effect<boolean> = Effect.suspend(() => {
    if (isOpen || folder === null) return Effect.succeed(isOpen)
    return Effect.uninterruptible(locking.withPermit(Effect.suspend(() => (isOpen || now() < dueAt ? Effect.succeed(isOpen) : open))))
  })

  const tryAgain = Effect.asVoid(Effect.repeat(Effect.andThen(Effect.sleep(retry), available), { until: () => isOpen }))

  return {
    available,
    /** Whether the lock is still ours; takes it again if not. Asked before each write, since removing the lock file lets another server in. */
    isOurs: Effect.uninterruptible(
      Effect.gen(function* () {
        if (!(yield* available)) return false
        return yield* locking.withPermit(
          Effect.flatMap(
            Effect.suspend(() => isLockOurs ?? Effect.succeed(false)),
            (ours) => (ours ? Effect.succeed(true) : open),
          ),
        )
      }),
    ),
    /** Notes that a path was used. */
    note: (path: string): void => {
      const session = /^sessions\/[^/]+/.exec(path)?.[0]
      if (session !== undefined) used.add(session)
    },
    takeovers: () => takeovers,
    /** Waits for the next takeover. */
    takenOver: takingOver.await,
  }
})

/**
 * Which server has the state folder: one at a time.
 *
 * Guarantees: the folder is opened on first use, so a server that is never used makes none; one that another server has is taken over when that
 * one has ended, by itself or by who uses it. Owners of what was read before read it again then. Does not: write in the folder.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as FileSystem from "effect/FileSystem"
import * as Latch from "effect/Latch"
import type * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { Machine } from "../../child/Machine.ts"
import { elapsedMs } from "../../elapsed.ts"
import type { Lock } from "./Lock.ts"
import { openFolder } from "./openFolder.ts"
import type { Trouble } from "../Trouble.ts"

/** How often a folder that another server has is asked for: by itself, and at most by those who use it; ms. */
const retry = 5000
const leastRetry = 500

interface Parts {
  /** Null when nothing is to be kept. */
  readonly folder: string | null
  readonly makeFolder: (folder: string) => Effect.Effect<void, PlatformError>
  readonly trouble: Trouble
  /** What the other server kept there, of a session that this one has worked in, stays beside it; completes "what that one kept of …". */
  readonly beside: (path: string) => Effect.Effect<string | undefined>
}

export const makePossession = Effect.fnUntraced(function* ({ folder, makeFolder, trouble, beside }: Parts) {
  const context = yield* Effect.context<FileSystem.FileSystem | Path.Path | Lock | Machine>()
  const scope = yield* Effect.scope
  const clock = yield* Clock.Clock
  const locking = yield* Semaphore.make(1)
  const takingOver = yield* Latch.make()
  let isOpen = folder === null ? false : undefined
  /** Another server had it when it was last asked for. */
  let isHeld = false
  let askedAt = Number.NEGATIVE_INFINITY
  let isLockOurs: Effect.Effect<boolean> = Effect.succeed(false)
  /** Folders of sessions that were asked for while another server had the state folder: they go on without what is there. */
  const missed = new Set<string>()
  let takeovers = 0

  const tookOver = Effect.gen(function* () {
    const told = (yield* Effect.forEach(missed, beside)).flatMap((each) => each ?? [])
    missed.clear()
    takeovers++
    const kept = told.length === 0 ? "" : ` What that one kept of ${told.join(", of ")}.`
    const sentence = `The other k3-mcp server has ended: this one keeps its sessions in ${folder} from now on.${kept}`
    yield* trouble.complain("taken over", sentence)
    yield* takingOver.release
  })

  const open = Effect.gen(function* () {
    askedAt = elapsedMs(clock)
    // A lock that is not ours, and its open file, go at once.
    const own = yield* Scope.fork(scope)
    const opened = yield* openFolder(folder!, makeFolder).pipe(Effect.provide(context), Scope.provide(own))
    if ("problem" in opened) {
      yield* Scope.close(own, Exit.void)
      yield* trouble.complain("folder", opened.problem)
      if (opened.isHeld && !isHeld) yield* Effect.forkIn(takeOver, scope)
      isHeld = opened.isHeld
      isOpen = isHeld ? undefined : false
      return false
    }
    trouble.isOver("folder")
    isLockOurs = opened.isOurs
    for (const link of opened.links) yield* trouble.complain(link, link)
    if (isHeld) yield* tookOver
    isHeld = false
    return (isOpen = true)
  })

  /** Whoever comes first opens it for all, so it is not left half-way by an interrupt. */
  const available: Effect.Effect<boolean> = Effect.suspend(() => {
    if (isOpen !== undefined) return Effect.succeed(isOpen)
    return Effect.uninterruptible(
      locking.withPermit(
        Effect.suspend(() => {
          if (isOpen !== undefined) return Effect.succeed(isOpen)
          return isHeld && elapsedMs(clock) - askedAt < leastRetry ? Effect.succeed(false) : open
        }),
      ),
    )
  })

  /** Until it is ours, or turns out to be no use. */
  const takeOver = Effect.asVoid(Effect.repeat(Effect.andThen(Effect.sleep(retry), available), { until: () => isOpen !== undefined }))

  return {
    available,
    /** Who removes the folder, or the lock in it, lets another server in: before each write it is looked at, and taken again. */
    isOurs: Effect.gen(function* () {
      if (!(yield* available)) return false
      return yield* locking.withPermit(
        Effect.flatMap(
          Effect.suspend(() => isLockOurs),
          (ours) => (ours ? Effect.succeed(true) : open),
        ),
      )
    }),
    /** What is at the path was asked for while the folder was not to be had. */
    missing: (path: string): void => {
      const session = /^sessions\/[^/]+/.exec(path)?.[0]
      if (isHeld && session !== undefined) missed.add(session)
    },
    takeovers: () => takeovers,
    /** Waits for the next time. */
    takenOver: takingOver.await,
  }
})

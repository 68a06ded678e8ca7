/**
 * The histories in memory, those of open and of closed sessions.
 *
 * Guarantees: the histories of closed sessions together take no more memory than one history may, nor are more than `mostIdle`; the least
 * recently used are dropped first, and at least one stays. Does not: write them, or drop one of an open session.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { HistoryLog } from "./HistoryLog.ts"

/** Histories of closed sessions in memory, at most. */
const mostIdle = 1000

export class HeldHistories {
  /** By session, ordered by the last use, the latest last. */
  readonly all = new Map<string, HistoryLog>()
  /** The open sessions. Two may have one name: a session may be opened while the earlier one of its name is closing. */
  private readonly users = new Set<{ readonly session: string }>()

  /** `most`: bytes of the histories of all closed sessions. */
  constructor(private readonly most: number) {}

  /** Keeps the history of an open session until the scope closes. */
  using(session: string): Effect.Effect<unknown, never, Scope.Scope> {
    const user = { session }
    return Effect.acquireRelease(
      Effect.sync(() => this.users.add(user)),
      () => Effect.sync(() => this.users.delete(user)),
    )
  }

  /** The history of a session, which is the latest used from now on. */
  use(session: string): HistoryLog | undefined {
    const history = this.all.get(session)
    if (history === undefined) return undefined
    this.all.delete(session)
    this.all.set(session, history)
    return history
  }

  /** Drops histories of closed sessions, beyond the limits. With `isOnDisk`, only histories that the store has. */
  letGo(isOnDisk: boolean): void {
    const open = new Set(Array.from(this.users, ({ session }) => session))
    const idle = [...this.all].filter(([session]) => !open.has(session))
    let bytes = idle.reduce((sum, [, log]) => sum + log.held, 0)
    let left = idle.length
    for (const [session, log] of idle) {
      if ((bytes <= this.most && left <= mostIdle) || left === 1) return
      if (isOnDisk && !log.isSaved) continue
      this.all.delete(session)
      bytes -= log.held
      left--
    }
  }
}

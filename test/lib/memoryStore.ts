/** A store in memory, whose operations take a chosen time. Does not: read snapshots back. */
import type { EngineKind } from "../../src/engineKinds.ts"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { type Contents } from "../../src/child/Contents.ts"
import { ofEachKind } from "../../src/store/documentKinds.ts"
import { retryRemovals } from "../../src/store/removals.ts"
import {
  type DocumentStore,
  type HistoryStore,
  type Snapshot,
  type SnapshotStore,
  Store,
  type WorkspaceStore,
} from "../../src/store/Store.ts"

export class MemoryStore {
  readonly workspaces = new Map<string, { readonly engine: EngineKind; readonly contents: Contents; readonly savedAt: number }>()
  /** By session and name. */
  readonly snapshots = new Map<string, Snapshot>()
  /** By kind and key. */
  readonly documents = new Map<string, readonly string[]>()
  /** The lines of a segment, by session and number. */
  readonly histories = new Map<string, readonly string[]>()
  /** The duration of each operation, ms. */
  delay = 0
  /** Does every write and removal fail, as in a database that is read only? */
  isFull = false
  /** Does the next write or removal end in a defect? */
  isBroken = false
  /** Does the next write of a workspace end in a defect? */
  breaksNext = false
  /** The variables that the latest write of a workspace was to write. */
  changed: readonly string[] = []
  /** Is the next write of a document made, but not confirmed, as when the connection ends during the commit? */
  losesAnswer = false

  /** Another machine owned the sessions meanwhile when it changes. */
  epoch = 1

  private readonly none = Effect.succeed(false)
  private readonly takingOver = Latch.makeUnsafe()
  private takeovers = 0
  readonly takeOver = Effect.suspend(() => {
    this.takeovers++
    return this.takingOver.release
  })

  /** A write, or a removal. */
  private change(work: () => void): Effect.Effect<boolean> {
    return Effect.suspend(() => {
      if (this.isBroken) {
        this.isBroken = false
        return Effect.die("a defect")
      }
      const isRefused = this.isFull
      return Effect.delay(
        Effect.sync(() => {
          if (!isRefused) work()
          return !isRefused
        }),
        this.delay,
      )
    })
  }

  /** As in a real store, a workspace changes one write or removal after the other, however the delay changes meanwhile. */
  private readonly locks = new Map<string, Semaphore.Semaphore>()

  private workspace(name: string): WorkspaceStore {
    const lock = this.locks.get(name) ?? Semaphore.makeUnsafe(1)
    this.locks.set(name, lock)
    const after = <A>(work: () => A): Effect.Effect<A> => Effect.delay(Effect.sync(work), this.delay)
    return {
      chosen: Effect.undefined,
      load: (engine) =>
        Effect.suspend(() => {
          // A load returns the workspace as it was when the load began.
          const found = this.workspaces.get(name)
          return after(() =>
            found === undefined || found.engine !== engine ? undefined : { held: found.contents, savedAt: found.savedAt, lost: [] },
          )
        }),
      persist: (source) =>
        lock.withPermit(
          Effect.suspend(() => {
            if (this.isFull) return Effect.delay(this.none, this.delay)
            if (source.engine === undefined) return Effect.succeed(true)
            const { engine } = source
            const { held, changed } = source.takeUnsaved()
            this.changed = [...changed]
            if (this.breaksNext) {
              this.breaksNext = false
              return Effect.die("a defect")
            }
            return after(() => {
              this.workspaces.set(name, { engine, contents: held, savedAt: 1 })
              return true
            })
          }),
        ),
      forget: lock.withPermit(this.change(() => this.workspaces.delete(name))),
    }
  }

  private snapshotsOf(session: string): SnapshotStore {
    return {
      load: () => Effect.succeed([]),
      save: (snapshot) => this.change(() => this.snapshots.set(`${session} ${snapshot.name}`, snapshot)),
      remove: (name) => this.change(() => this.snapshots.delete(`${session} ${name}`)),
      clear: this.change(() => {
        for (const key of this.snapshots.keys()) if (key.startsWith(`${session} `)) this.snapshots.delete(key)
      }),
    }
  }

  private historyOf(session: string): HistoryStore {
    const key = (first: number) => `${session} ${first}`
    return {
      segments: Effect.succeed([]),
      lines: (first) => Effect.sync(() => this.histories.get(key(first)) ?? []),
      append: (first, lines) => this.change(() => this.histories.set(key(first), [...(this.histories.get(key(first)) ?? []), ...lines])),
      remove: (first) => this.change(() => this.histories.delete(key(first))),
      setAside: () => Effect.void,
    }
  }

  private sessions() {
    return Array.from(this.workspaces, ([name, { engine, contents, savedAt }]) => ({
      name,
      engine,
      savedAt,
      variables: contents.variables.size,
    }))
  }

  private documentsOf(kind: string): DocumentStore {
    const keys = Effect.sync(() =>
      Array.from(this.documents.keys()).flatMap((id) => (id.startsWith(`${kind} `) ? [id.slice(kind.length + 1)] : [])),
    )
    return {
      mayHaveAny: Effect.map(keys, ({ length }) => length > 0),
      keys,
      load: (key) => Effect.sync(() => this.documents.get(`${kind} ${key}`)),
      save: (key, lines) =>
        Effect.map(
          this.change(() => this.documents.set(`${kind} ${key}`, lines)),
          (isSaved) => {
            const isConfirmed = !this.losesAnswer
            this.losesAnswer = false
            return isSaved && isConfirmed
          },
        ),
      remove: (key) => this.change(() => this.documents.delete(`${kind} ${key}`)),
      setAside: () => Effect.void,
    }
  }

  private readonly store = Store.of({
    place: "memory",
    available: Effect.succeed(true),
    sessions: Effect.sync(() => this.sessions()),
    session: (name) => Effect.sync(() => this.sessions().filter((each) => each.name === name)),
    workspace: (name) => Effect.sync(() => this.workspace(name)),
    snapshots: (session) => this.snapshotsOf(session),
    history: (session) => this.historyOf(session),
    documents: ofEachKind(({ name }) => this.documentsOf(name)),
    takeovers: () => this.takeovers,
    takenOver: this.takingOver.await,
    trouble: Effect.succeed([]),
    takeTrouble: () => [],
  })

  readonly layer: Layer.Layer<Store> = Layer.effect(
    Store,
    retryRemovals(this.store, () => this.epoch),
  )
}

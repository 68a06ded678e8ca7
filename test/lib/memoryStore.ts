/** A store of workspaces and snapshots in memory, whose operations take a chosen time. Does not: read snapshots back, or keep documents. */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import { type Contents, holdingsOf } from "../../src/child/Contents.ts"
import { type EngineKind, type Snapshot, type SnapshotStore, Store, type WorkspaceStore } from "../../src/store/Store.ts"

export class MemoryStore {
  readonly workspaces = new Map<string, { readonly engine: EngineKind; readonly contents: Contents; readonly savedAt: number }>()
  /** By session and name. */
  readonly snapshots = new Map<string, Snapshot>()
  /** The duration of each operation, ms. */
  delay = 0
  /** Does every write fail, as on a full disk? */
  isFull = false

  private readonly none = Effect.succeed(false)
  private readonly takingOver = Latch.makeUnsafe()
  readonly takeOver = this.takingOver.release

  private workspace(name: string): WorkspaceStore {
    const after = <A>(work: () => A): Effect.Effect<A> => Effect.delay(Effect.sync(work), this.delay)
    return {
      chosen: Effect.undefined,
      load: (engine) =>
        Effect.suspend(() => {
          // A load returns the workspace as it was when the load began.
          const found = this.workspaces.get(name)
          return after(() =>
            found === undefined || found.engine !== engine
              ? undefined
              : { held: holdingsOf(found.contents), savedAt: found.savedAt, lost: [] },
          )
        }),
      persist: (source) =>
        Effect.suspend(() => {
          if (this.isFull) return this.none
          if (source.engine === undefined) return Effect.succeed(true)
          const { engine } = source
          const { held } = source.takeUnsaved()
          return after(() => {
            this.workspaces.set(name, { engine, contents: held, savedAt: 1 })
            return true
          })
        }),
      forget: Effect.suspend(() => {
        this.workspaces.delete(name)
        return after(() => true)
      }),
    }
  }

  private snapshotsOf(session: string): SnapshotStore {
    const write = (name: string, snapshot: Snapshot | undefined) =>
      Effect.suspend(() => {
        if (this.isFull) return this.none
        const work = Effect.sync(() => {
          if (snapshot === undefined) this.snapshots.delete(`${session} ${name}`)
          else this.snapshots.set(`${session} ${name}`, snapshot)
          return true
        })
        return Effect.delay(work, this.delay)
      })
    return {
      load: () => Effect.succeed([]),
      save: (snapshot) => write(snapshot.name, snapshot),
      remove: (name) => write(name, undefined),
      clear: this.none,
    }
  }

  readonly layer: Layer.Layer<Store> = Layer.succeed(Store, {
    place: "memory",
    available: Effect.succeed(true),
    sessions: Effect.succeed([]),
    workspace: (name) => Effect.sync(() => this.workspace(name)),
    snapshots: (session) => this.snapshotsOf(session),
    history: () => ({
      segments: Effect.succeed([]),
      lines: () => Effect.succeed([]),
      append: () => this.none,
      remove: () => this.none,
      setAside: () => Effect.void,
    }),
    definitions: noDocuments,
    crashes: noDocuments,
    evaluations: noDocuments,
    subscriptions: noDocuments,
    takeovers: () => 0,
    takenOver: this.takingOver.await,
    trouble: Effect.succeed([]),
    takeTrouble: () => [],
  })
}

const noDocuments = {
  mayHaveAny: Effect.succeed(false),
  keys: Effect.succeed([]),
  load: () => Effect.undefined,
  save: () => Effect.succeed(false),
  remove: () => Effect.succeed(false),
  setAside: () => Effect.void,
}

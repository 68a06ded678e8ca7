/**
 * The spaces that are open on this machine, with the epochs of their sessions. The first request for a session opens its space, from the same
 * parts as on a server alone. Does not: close a space before the machine leaves; idle sessions end by themselves.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { PrincipalSpace } from "../mcp/http/Principal.ts"
import { Elsewhere } from "../session/Elsewhere.ts"
import { Handles, rangeSize } from "../session/Handles.ts"
import { Archive } from "../session/output/Archive.ts"
import type { Relocation, Sessions } from "../session/Sessions.ts"
import type { Store } from "../store/Store.ts"
import { type Recordings, recordingsOf } from "./recordings.ts"
import { StoredOutputs } from "./StoredOutputs.ts"

/** Makes the services of a principal's sessions on this machine, over that store; fails with a sentence. */
export type MakeSpace<R> = (
  principal: PrincipalSpace,
  store: Layer.Layer<Store>,
) => Effect.Effect<Context.Context<Sessions | Relocation>, string, Scope.Scope | R>

interface Parts<R> {
  readonly open: MakeSpace<R>
  /** The store of a principal's space; it writes the sessions under these epochs. */
  readonly store: (principal: PrincipalSpace, epochs: ReadonlyMap<string, number>) => Layer.Layer<Store>
  /** The number of this machine: its range of handles. */
  readonly number: number
}

/** A space on this machine, from the first question about it on. */
interface Space {
  readonly epochs: Map<string, number>
  readonly recordings: Recordings
  /** One request opens the space; the others wait. */
  readonly opening: Semaphore.Semaphore
  opened: Context.Context<Sessions | Relocation> | undefined
}

export class OpenSpaces extends Context.Service<
  OpenSpaces,
  {
    /** Opens a space, or gives the open one; fails with a sentence. `elsewhere` finds the other sessions of the space. */
    readonly open: (principal: PrincipalSpace, elsewhere: Elsewhere) => Effect.Effect<Context.Context<Sessions | Relocation>, string>
    /** The space of this name if it is open. */
    readonly opened: (space: string) => Context.Context<Sessions | Relocation> | undefined
    /** The epochs under which this machine writes the sessions of a space; the store of the space reads them. */
    readonly epochs: (space: string) => Map<string, number>
    /** Archives the long outputs of a space; false when the database did not take them. */
    readonly archive: (space: string) => Effect.Effect<boolean>
    /** All sessions that this machine has, with their epochs. */
    readonly held: () => readonly { readonly space: string; readonly session: string; readonly epoch: number }[]
  }
>()("k3-mcp/cluster/OpenSpaces") {
  static readonly layer = <R>(parts: Parts<R>) => Layer.effect(OpenSpaces, make(parts))
}

const make = Effect.fnUntraced(function* <R>({ open, store, number }: Parts<R>) {
  const scope = yield* Effect.scope
  const around = yield* Effect.context<R>()
  const outputs = yield* StoredOutputs
  const spaces = new Map<string, Space>()
  const spaceOf = (name: string): Space => {
    const space = spaces.get(name) ?? {
      epochs: new Map(),
      recordings: recordingsOf(outputs, name),
      opening: Semaphore.makeUnsafe(1),
      opened: undefined,
    }
    spaces.set(name, space)
    return space
  }
  const first = (principal: PrincipalSpace, elsewhere: Elsewhere, space: Space) =>
    open(principal, store(principal, space.epochs)).pipe(
      Effect.provideService(Handles, number * rangeSize),
      Effect.provideService(Elsewhere, elsewhere),
      Effect.provideService(Archive, space.recordings.archive),
      Effect.provideContext(Context.add(around, Scope.Scope, scope)),
      Effect.tap((context) => Effect.sync(() => (space.opened = context))),
    )
  return OpenSpaces.of({
    open: (principal, elsewhere) => {
      const space = spaceOf(principal.space)
      return space.opening.withPermit(
        Effect.suspend(() => (space.opened === undefined ? first(principal, elsewhere, space) : Effect.succeed(space.opened))),
      )
    },
    opened: (name) => spaces.get(name)?.opened,
    epochs: (name) => spaceOf(name).epochs,
    archive: (name) => spaceOf(name).recordings.save,
    held: () => [...spaces].flatMap(([space, { epochs }]) => Array.from(epochs, ([session, epoch]) => ({ space, session, epoch }))),
  })
})

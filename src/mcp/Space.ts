/** A principal's space, as it is served to connections. */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import { readOnly } from "../session/readOnly.ts"
import { Sessions } from "../session/Sessions.ts"
import type { Settings } from "../Settings.ts"
import { Telemetry } from "../Telemetry.ts"
import { Audience } from "./Audience.ts"
import type { Bridge } from "./bridge.ts"
import { ConnectionFacts } from "./ConnectionFacts.ts"
import { Registry } from "./Registry.ts"

/** Its sessions and settings (behind `bridge`), its tools, and the clients that are told of changes. */
export interface Space {
  readonly bridge: Bridge<Sessions | Settings>
  readonly registry: Registry
  readonly audience: Audience
  readonly telemetry: Telemetry | undefined
}

/** A space in both forms: as it is, and for credentials that may only read. */
export interface OpenSpace {
  readonly full: Space
  readonly readOnly: Space
  /** Has it no open session? */
  readonly isEmpty: () => Promise<boolean>
  readonly close: () => Promise<void>
}

/** The fibers of all connections. */
export type Fibers = FiberSet.FiberSet

const bridgeOf = (fibers: Fibers): Effect.Effect<Bridge<Sessions | Settings>, never, Sessions | Settings> =>
  Effect.all({
    fork: FiberSet.runtime(fibers)<Sessions | Settings>(),
    promise: FiberSet.runtimePromise(fibers)<Sessions | Settings>(),
  })

/** Makes a space over the services in the context. */
export const openSpace = (
  fibers: Fibers,
  facts: ConnectionFacts,
  close: () => Promise<void> = () => Promise.resolve(),
): Effect.Effect<OpenSpace, never, Sessions | Settings> =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const registry = new Registry(sessions.definitions)
    const audience = new Audience(sessions.definitions)
    const telemetry = yield* Telemetry
    const full = { registry, audience, telemetry, bridge: yield* bridgeOf(fibers) }
    const bridge = yield* Effect.provideService(bridgeOf(fibers), Sessions, readOnly(sessions))
    const isEmpty = () => full.bridge.promise(Effect.map(sessions.list, ({ length }) => length === 0))
    return { full, readOnly: { ...full, bridge }, isEmpty, close }
  }).pipe(Effect.provideService(ConnectionFacts, facts))

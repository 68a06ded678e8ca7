/** What a session is and does now, put together from its parts. Waits for a look at the build on disk and at memory, for nothing else. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { staleness } from "./builds/staleness.ts"
import type { Persistence } from "./variables/Persistence.ts"
import { elapsedMs } from "../elapsed.ts"
import type { Engine } from "../child/engines/Engine.ts"
import { shortened } from "../shortened.ts"
import type { Lifecycle } from "./Lifecycle.ts"
import type { Session } from "./Session.ts"
import type { SessionStatus } from "./SessionStatus.ts"
import { liveOf, phaseOf, workOf } from "./state.ts"
import type { Turn } from "./Turn.ts"
import type { Usage } from "./Usage.ts"
import type { Keeper } from "./variables/Keeper.ts"

interface Parts {
  readonly name: string
  readonly life: Lifecycle
  readonly keeper: Keeper
  readonly turn: Turn
  readonly usage: Usage
  readonly persistence: Persistence
  readonly memory: { readonly residentBytes: (pid: number) => Effect.Effect<number | null> }
  readonly clock: Clock.Clock
  /** When it was made, on the clock of `elapsed.ts`. */
  readonly made: number
  /** What would be launched. */
  readonly engine: Effect.Effect<Engine>
  readonly evaluations: () => number
  readonly doing: () => string | null
}

export const make = (parts: Parts): Session["status"] =>
  Effect.gen(function* () {
    const { life, turn, memory } = parts
    const now = elapsedMs(parts.clock)
    const state = life.state()
    const live = liveOf(state)
    const work = workOf(state)
    const spare = life.sparePid()
    const engine = live?.engine ?? (yield* parts.engine)
    const { build, stale } = live === undefined ? { build: yield* engine.onDisk, stale: false } : yield* staleness(live)
    return {
      name: parts.name,
      phase: phaseOf(state),
      engine: engine.kind,
      engineWhy: engine.why,
      pid: live?.child.pid ?? null,
      generation: live?.generation ?? life.generation(),
      shadow: live?.prepared.shadow ?? null,
      buildFolder: engine.buildFolder,
      runningHash: live?.prepared.build?.hash ?? null,
      buildHash: build?.hash ?? null,
      stale,
      uptimeMs: live === undefined ? null : now - live.since,
      evaluations: parts.evaluations(),
      doing: parts.doing(),
      running:
        work === undefined ? null : { statement: shortened(work.statement), nth: work.nth, forMs: now - work.since, waiting: turn.waiting },
      lastCrash: life.lastCrash(),
      ageMs: now - parts.made,
      idleMs: parts.usage.idleMs,
      held: parts.keeper.summary,
      onDisk: yield* parts.persistence.status,
      spare: spare === null ? null : { pid: spare, memoryBytes: yield* memory.residentBytes(spare) },
      memoryBytes: live === undefined ? null : yield* memory.residentBytes(live.child.pid),
    } satisfies SessionStatus
  })

/**
 * Taking up the build on disk: build it, try it beside the one that runs, check it, switch.
 *
 * Guarantees: the session's child, and what is held of it, is as it was unless the new build came up, did a sum, and fell on no check
 * that the old one survived; the build runs before the session's turn is taken, so evaluations go on meanwhile; checks run on children
 * beside the session. Does not: undo what a check did to files.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import { tookMs } from "../../elapsed.ts"
import { Settings } from "../../Settings.ts"
import { Builder, BuildFailed } from "./Build.ts"
import { BadCaseFile, itemsOf } from "./caseFile.ts"
import { compare, type Comparison } from "./compare.ts"
import type { Item } from "./caseFile.ts"
import type { Engine } from "../../child/engines/Engine.ts"
import type { Keeper } from "../variables/Keeper.ts"
import type { Program } from "../../child/Launcher.ts"
import type { Lifecycle } from "../Lifecycle.ts"
import type { Process } from "../../child/Process.ts"
import * as Scratch from "./Scratch.ts"
import { NewBuildFell, type ReloadRequest, type Session } from "../Session.ts"
import { type Live, liveOf } from "../state.ts"
import { Told } from "../Told.ts"

/** What of a session a reload needs. */
export interface Lent {
  readonly keeper: Keeper
  readonly life: Lifecycle
  /** What a launch takes; `fixed`: what it always takes. */
  readonly engine: { readonly pick: Effect.Effect<Engine>; readonly fixed: Engine["kind"] | undefined }
  readonly capture: (live: Live) => Effect.Effect<unknown>
  /** The session's turn. */
  readonly inTurn: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Says what the session is at; null when it is over. */
  readonly doing: (what: string | null) => void
  /** Nothing of the session is on disk any more. */
  readonly forget: Effect.Effect<void>
  /** The workspace is another one. */
  readonly replaced: () => void
}

const itemOf = (code: string): Item => ({ name: "", code, how: "exact", fresh: false, goOn: false })

export const make = Effect.fnUntraced(function* ({
  keeper,
  life,
  engine: { pick, fixed },
  capture,
  inTurn,
  doing,
  forget,
  replaced,
}: Lent) {
  const context = yield* Effect.context<Settings | Process | FileSystem.FileSystem | Path.Path>()
  const settings = yield* Settings
  const builder = yield* Builder

  const buildNow = Effect.fnUntraced(function* () {
    const tell = yield* Told
    const useless = (why: string, ms: number) =>
      new BuildFailed({
        reason: "useless",
        command: settings.buildCommand,
        exit: { code: 0, signal: null },
        errors: [],
        errorCount: 0,
        warningCount: 0,
        tail: [why],
        ms,
      })
    if (fixed === "embedded") return yield* useless("the engine is set to embedded, which has no build of its own", 0)
    tell(`building: ${settings.buildCommand}`)
    const built = yield* builder.build((line) => tell(`building: ${line.trim().slice(0, 200)}`))
    const engine = yield* pick
    if (engine.kind === "embedded") return yield* useless(engine.why, built.ms)
    return built
  })

  const checkOn = (old: Program, next: Program, items: readonly Item[], state: Keeper | undefined) =>
    Effect.scoped(
      Effect.gen(function* () {
        const a = yield* Scratch.make(old, state, settings.evalTimeout)
        const b = yield* Scratch.make(next, state, settings.evalTimeout)
        return yield* compare(items, a, b, { withinMs: settings.evalTimeoutMax, all: false, what: "check" })
      }),
    ).pipe(Effect.provide(context))

  const switchTo = Effect.fnUntraced(function* ({ preserveState, checkFile }: ReloadRequest, items: readonly Item[] | undefined) {
    const clock = yield* Clock.Clock
    const old = liveOf(life.state())
    if (preserveState && old !== undefined) yield* capture(old)
    const goBack = keeper.remember()
    if (!preserveState) {
      keeper.forget()
      // What is on disk was read when there was a child, and stays until the new one has taken over.
      if (old === undefined) yield* forget
    }
    let began = clock.monotonicTimeNanosUnsafe()
    let check: Comparison | null | undefined
    const vet = Effect.fnUntraced(function* (next: Program, now: Program | undefined) {
      if (items === undefined) return
      check = now === undefined ? null : yield* checkOn(now, next, items, checkFile === undefined ? keeper : undefined)
      began = clock.monotonicTimeNanosUnsafe()
      if (check !== null && check.fallen > 0) return yield* new NewBuildFell({ check })
    })
    const done = yield* Effect.onError(life.replace(vet), () => Effect.sync(goBack))
    replaced()
    if (!preserveState) yield* forget
    return {
      engine: done.now.engine.kind,
      oldHash: done.before?.prepared.build?.hash ?? null,
      newHash: done.now.prepared.build?.hash ?? null,
      generation: done.now.generation,
      ms: tookMs(clock, began),
      givenBack: preserveState ? (keeper.takeGivenBack() ?? { restored: 0, lost: [], missed: 0 }) : null,
      ...(check !== undefined && { check }),
    }
  })

  const reload: Session["reload"] = Effect.fnUntraced(function* (request) {
    const tell = yield* Told
    const { build = false, check, checkFile } = request
    if (check !== undefined && checkFile !== undefined)
      return yield* new BadCaseFile({ file: checkFile, reason: "give check or check_file, not both" })
    const fromFile = checkFile === undefined ? [] : yield* Effect.provide(itemsOf(checkFile), context)
    const items = check === undefined && checkFile === undefined ? undefined : [...(check ?? []).map(itemOf), ...fromFile]
    const work = Effect.gen(function* () {
      // The old build has to run to be compared with, and may be gone once the new one is made.
      if (items !== undefined) yield* Effect.ignore(inTurn(life.connect))
      const built = build ? yield* buildNow() : undefined
      const done = yield* inTurn(switchTo(request, items))
      return { ...done, ...(built !== undefined && { built }) }
    })
    return yield* work.pipe(
      Effect.provideService(Told, (what) => {
        doing(what)
        tell(what)
      }),
      Effect.ensuring(Effect.sync(() => doing(null))),
    )
  })
  return reload
})

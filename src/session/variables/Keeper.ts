/**
 * What a session holds beyond the life of its child: the last capture, and giving it back to the next child.
 *
 * Guarantees: a capture counts only when it is complete, so what is given back is the state at one moment; values are put back, nothing
 * is evaluated again; a variable whose return ends the child is set aside by name after a try of its own, and after `mostDeaths` ends in
 * a row all that have not come back yet. Does not: decide when to look, or order itself with evaluations; the session's turn does.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Child, ChildEnded } from "../../child/Child.ts"
import type { Engine } from "../../child/engines/Engine.ts"
import { compare, type Contents, type Difference, drop, empty, holds, isExact, type Lost } from "../../child/Contents.ts"
import { type Holdings, holdingsOf, update, type Variable } from "../../child/Contents.ts"
import type { Pace, Tracker } from "../../child/engines/Tracker.ts"

export interface GivenBack {
  readonly restored: number
  readonly lost: readonly Lost[]
  /** Evaluations that were done after the capture: what they changed is not in it. */
  readonly missed: number
}

/** A child being given to: what is needed of `Live`. */
export interface Target {
  readonly child: Child
  readonly engine: Engine
}

const mostDeaths = 4
const batchBytes = 4 * 1024 ** 2
const batchCount = 200

/** Takes all the time it needs. */
export const patient: Pace = { hurry: () => false, soon: Number.MAX_SAFE_INTEGER }

export class Keeper {
  private held = empty()
  private trackers = new WeakMap<Child, Tracker>()
  /** Functions as they were written; see `k3csharpWritten.ts`. */
  private readonly written = new Map<string, string | undefined>()
  /** Evaluations since the last complete look. */
  private behind = 0
  /** By value: another one of the same name is not to blame. */
  private readonly setAside = new Map<Variable, string>()
  /** On their way when the child ended. */
  private suspects: ReadonlySet<Variable> = new Set()
  private deaths = 0
  private told: GivenBack | undefined
  /** When the last complete look was. */
  private lookedAt = 0
  /** Names that may differ from what was last taken for writing. */
  private unsaved = new Set<string>()
  /** Held elsewhere, and no use to the engine that answers. */
  private elsewhere: readonly Lost[] = []
  /** Whose values are held. */
  engine: Engine["kind"] | undefined

  constructor(private readonly limits: { readonly bytes: number; readonly batchTimeout: number }) {}

  trackerOf({ child, engine }: Target): Tracker {
    let tracker = this.trackers.get(child)
    if (tracker === undefined) this.trackers.set(child, (tracker = engine.track(child, this.written)))
    return tracker
  }

  /** A statement went well. */
  heard(target: Target, statement: string): void {
    this.trackerOf(target).heard(statement)
  }

  get holds(): boolean {
    return holds(this.held)
  }

  /** Variables held, those of them that cannot be given back, and evaluations that came after. */
  get summary(): { readonly variables: number; readonly missed: number; readonly lost: readonly Lost[] } {
    const lost = [...this.held.variables.values()].flatMap(({ path, image, attributes, why }) =>
      image === undefined && attributes === undefined ? [{ path, why: why ?? "" }] : [],
    )
    return { variables: this.held.variables.size - lost.length, missed: this.behind, lost }
  }

  /** What the last complete look saw; not to be kept, it goes on changing. */
  get contents(): Contents {
    return this.held
  }

  /** When that was, in milliseconds since 1970. */
  get at(): number {
    return this.lookedAt
  }

  get isCurrent(): boolean {
    return this.behind === 0
  }

  /** Something was evaluated. */
  evaluated(): void {
    this.behind++
  }

  /** Another one that holds the same: what is tried with it stays without consequence here. */
  copy(): Keeper {
    const other = new Keeper(this.limits)
    other.held = { ...this.held, variables: new Map(this.held.variables) }
    other.behind = this.behind
    for (const [name, text] of this.written) other.written.set(name, text)
    return other
  }

  /** How it is now; what is given goes back to that. */
  remember(): () => void {
    const { trackers, behind, suspects, deaths, told, elsewhere, engine, lookedAt } = this
    const held = { ...this.held, variables: new Map(this.held.variables) }
    const setAside = [...this.setAside]
    const unsaved = new Set(this.unsaved)
    return () => {
      Object.assign(this, { held, trackers, behind, suspects, deaths, told, elsewhere, engine, lookedAt, unsaved })
      this.setAside.clear()
      for (const [variable, why] of setAside) this.setAside.set(variable, why)
    }
  }

  /** What an earlier life of the session held, before its first child is given anything. */
  adopt(engine: Engine["kind"], held: Holdings, elsewhere: readonly Lost[]): void {
    this.held = held
    this.engine = engine
    this.elsewhere = elsewhere
  }

  /** What is held, and the names of which it may differ from what was last taken. */
  takeUnsaved(): { readonly held: Holdings; readonly changed: ReadonlySet<string> } {
    const changed = this.unsaved
    this.unsaved = new Set()
    return { held: this.held, changed }
  }

  /** These were not written after all. */
  stillUnsaved(changed: ReadonlySet<string>): void {
    for (const path of changed) this.unsaved.add(path)
  }

  /** Nothing is given back any more, until the next look has seen all there is. */
  forget(): void {
    this.held = empty()
    this.unsaved = new Set()
    this.elsewhere = []
    this.trackers = new WeakMap()
    this.behind = 1
    this.setAside.clear()
    this.told = undefined
  }

  /** From now on this is what is held, as it was at that time. */
  hold(contents: Contents, at: number): void {
    const { variables } = this.held
    for (const path of variables.keys()) if (!contents.variables.has(path)) this.unsaved.add(path)
    for (const [path, variable] of contents.variables) if (variables.get(path) !== variable) this.unsaved.add(path)
    this.held = holdingsOf(contents)
    this.lookedAt = at
    this.behind = 0
  }

  /** What was given back last; told once. */
  takeGivenBack(): GivenBack | undefined {
    const { told } = this
    this.told = undefined
    return told
  }

  /** Looks at what changed; `undefined` when it had to give up. */
  look(target: Target, pace: Pace): Effect.Effect<readonly Difference[] | undefined, ChildEnded> {
    return Effect.suspend(() => {
      if (this.behind === 0) return Effect.succeed([])
      return Effect.zipWith(this.trackerOf(target).look(this.held, pace), Clock.currentTimeMillis, (found, now) => {
        if (found === undefined) return undefined
        this.behind = 0
        this.lookedAt = now
        this.engine = target.engine.kind
        const differences = update(this.held, found, this.limits.bytes)
        for (const { path } of differences) this.unsaved.add(path)
        return differences
      })
    })
  }

  /**
   * Makes a child whose state is held hold `goal` instead, by what differs; `undefined`, with nothing done, when names are in the way
   * that its engine cannot remove. When the child ends by it, or it is cut short, what is held is as it was.
   */
  readonly putBack = Effect.fnUntraced(function* (this: Keeper, target: Target, goal: Contents) {
    const tracker = this.trackerOf(target)
    const { differences, unsure } = compare(goal.variables, this.held.variables, true)
    const removed = differences.flatMap(({ path, before }) => (before === undefined ? [path] : []))
    if (removed.length > 0 && tracker.remove === null) return undefined
    const differing = [...differences, ...unsure].flatMap(({ before }) => (before === undefined ? [] : [before]))
    const wanted = differing.filter((variable) => isExact(variable) && !this.setAside.has(variable))
    const wants = new Set(wanted)
    const lost: Lost[] = differing.flatMap((each) => (wants.has(each) ? [] : [{ path: each.path, why: this.whyNot(each) }]))
    if (removed.length > 0) yield* tracker.remove!(removed)
    for (const batch of batches(wanted, this.suspects)) {
      lost.push(...(yield* this.within(target, batch, tracker.restore(batch))))
    }
    if (goal.workspace !== undefined) lost.push(...(yield* this.within(target, [], tracker.settle(goal.workspace))))
    const now = yield* Clock.currentTimeMillis
    const notBack = new Set(lost.map(({ path }) => path))
    const left = [...this.held.variables].filter(([path]) => notBack.has(path))
    this.hold({ ...goal, variables: new Map([...[...goal.variables].filter(([path]) => !notBack.has(path)), ...left]) }, now)
    if (lost.length > 0) this.evaluated()
    return { restored: wanted.flatMap(({ path }) => (notBack.has(path) ? [] : [path])), removed, lost }
  })

  private whyNot(variable: Variable): string {
    return this.setAside.get(variable) ?? variable.why ?? "no exact value of it is held"
  }

  /** Gives a new child what is held. When the child ends by it, another one is to be tried. */
  giveBack(target: Target): Effect.Effect<void, ChildEnded> {
    return Effect.suspend(() => (this.holds || this.elsewhere.length > 0 ? this.give(target, this.trackerOf(target)) : Effect.void))
  }

  private readonly give = Effect.fnUntraced(function* (this: Keeper, target: Target, tracker: Tracker) {
    const all = [...this.held.variables.values()]
    const wanted = all.filter((variable) => isExact(variable) && !this.setAside.has(variable))
    const lost: Lost[] = all
      .filter((variable) => variable.why !== undefined || this.setAside.has(variable))
      .map((variable) => ({ path: variable.path, why: this.whyNot(variable) }))
    const failed: Lost[] = []
    for (const batch of batches(wanted, this.suspects)) {
      failed.push(...(yield* this.within(target, batch, tracker.restore(batch))))
    }
    const { workspace } = this.held
    if (workspace !== undefined && this.deaths < mostDeaths) failed.push(...(yield* this.within(target, [], tracker.settle(workspace))))
    const variables = new Set(wanted.map(({ path }) => path))
    for (const { path } of failed) this.drop(path)
    for (const { path } of lost) if (!variables.has(path)) this.drop(path)
    this.told = {
      restored: wanted.length - failed.filter(({ path }) => variables.has(path)).length,
      lost: [...lost, ...failed, ...this.elsewhere],
      missed: this.behind,
    }
    this.elsewhere = []
    this.behind = 0
    this.deaths = 0
    const came = new Set(wanted)
    this.suspects = new Set([...this.suspects].filter((each) => !came.has(each)))
  })

  private drop(path: string): void {
    drop(this.held, path)
    this.unsaved.add(path)
  }

  /** One batch within its time; the end of the child is remembered against those that were on their way. */
  private within(
    { child }: Target,
    given: readonly Variable[],
    work: Effect.Effect<readonly Lost[], ChildEnded>,
  ): Effect.Effect<readonly Lost[], ChildEnded> {
    const ended = Effect.suspend(() => {
      child.kill()
      return child.ended
    })
    return work.pipe(
      Effect.timeoutOption(this.limits.batchTimeout),
      Effect.flatMap(Option.match({ onSome: Effect.succeed, onNone: () => Effect.flatMap(ended, Effect.fail) })),
      Effect.tapError(() => Effect.sync(() => this.died(given))),
    )
  }

  private died(given: readonly Variable[]): void {
    this.deaths++
    if (given.length === 1) this.setAside.set(given[0]!, "giving it back ended the interpreter")
    else this.suspects = new Set([...this.suspects, ...given])
    if (this.deaths < mostDeaths) return
    for (const variable of this.held.variables.values())
      if (!this.setAside.has(variable))
        this.setAside.set(variable, `the interpreter ended ${this.deaths} times while variables were given back`)
  }
}

/** In the order they came; suspects last and one by one. */
const batches = (variables: readonly Variable[], suspects: ReadonlySet<Variable>): readonly (readonly Variable[])[] => {
  const all: Variable[][] = []
  let batch: Variable[] = []
  let bytes = 0
  for (const variable of variables) {
    if (suspects.has(variable)) continue
    const size = variable.image?.length ?? 0
    if (batch.length > 0 && (batch.length >= batchCount || bytes + size > batchBytes)) {
      all.push(batch)
      batch = []
      bytes = 0
    }
    batch.push(variable)
    bytes += size
  }
  if (batch.length > 0) all.push(batch)
  return [...all, ...variables.filter((variable) => suspects.has(variable)).map((variable) => [variable])]
}

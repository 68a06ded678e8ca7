/**
 * One interpreter, as the code outside the language uses it: statements that print, and requests that inspect, capture and restore.
 *
 * Guarantees: each call has a budget of its own, and leaves nothing under way. `evaluate` never throws, and leaves variables as they were before the
 * failed assignment; anything thrown inside, also by the JavaScript engine when its stack or memory ends, becomes an error of K with its place. Does
 * not: read lines or prompt; `src/repl` does.
 */
import { type TreeEvaluator, LONGEST_KEPT } from "./TreeEvaluator.ts"
import { kErrorOf } from "./thrown.ts"
import type { Failure } from "../Failure.ts"
import type { Limits } from "../Host.ts"
import { begin, type Budget, liftStepLimit, stepsTaken } from "../run/budget.ts"
import { failureOf } from "../run/render.ts"
import { hold } from "../run/roots.ts"
import { TreeCaptures, type CaptureLimits, type Changes, type VariableToRestore, type NotRestored } from "../tree/TreeCaptures.ts"
import type { TreeSettings } from "../tree/treeSettings.ts"
import type { Cell } from "../tree/Directory.ts"
import { look, type Look, type LookRequest } from "../tree/look.ts"
import { imageOf, imageSize } from "../values/image.ts"
import { preview } from "../values/preview.ts"
import { Func } from "../values/value.ts"

/** Bytes that an interpreter may hold by default. */
const MEMORY = 2 ** 30

/** Limits of one call, in place of the interpreter's own. */
export interface Allowance {
  /** Bytes that the call may hold in all. */
  readonly memory?: number
  /** Bytes of them that may be added since the call began. */
  readonly growth?: number
  readonly steps?: number
  /** Steps already taken of the same allowance. */
  readonly before?: number
}

export interface Imaging {
  readonly most: number
  readonly quiet?: boolean
}

export interface Imaged {
  readonly failure: Failure | undefined
  readonly image: Uint8Array | undefined
  /** Steps taken. */
  readonly steps: number
}

export class Interpreter {
  private readonly captures: TreeCaptures
  private readonly budget: Budget

  constructor(
    private readonly evaluator: TreeEvaluator,
    { memory = MEMORY, steps = Infinity }: Limits,
  ) {
    const { host } = evaluator
    this.captures = new TreeCaptures(evaluator)
    // Near the limit, caches are dropped first.
    const room = (bytes: number): boolean => host.room(bytes) || (evaluator.dropCaches() && host.room(Math.max(1, bytes)))
    this.budget = { interrupted: () => host.interrupted(), memory, room, steps, unfilled: host.unfilled }
  }

  /** Runs one statement or command. Gives its error, or `undefined`. The output is written in either case. */
  evaluate(statement: string): Failure | undefined {
    return this.caught(statement, () => this.evaluator.print(statement))
  }

  /**
   * As `evaluate`, with its own limits. `image` is the statement's value as `_bd` writes it, when that takes at most `most` bytes. `quiet` prints no
   * value.
   */
  imaged(statement: string, { most, quiet = false }: Imaging, allowance: Allowance = {}): Imaged {
    let image: Uint8Array | undefined
    const work = (): void => {
      const value = this.evaluator.print(statement, quiet)
      if (most > 0 && imageSize(value) <= most) image = imageOf(value)
    }
    const failure = this.caught(statement, work, { ...this.budget, ...allowance })
    return { failure, image, steps: stepsTaken() }
  }

  /** Drops all caches, so that an allowance that begins now does not depend on earlier work. */
  dropCaches(): void {
    this.evaluator.dropCaches()
  }

  private caught(statement: string, work: () => void, budget = this.budget): Failure | undefined {
    try {
      this.within(budget, work)
      return undefined
    } catch (thrown) {
      liftStepLimit()
      return failureOf(kErrorOf(thrown), statement)
    }
  }

  private within<A>(budget: Budget, work: () => A): A {
    begin(budget)
    hold(this)
    try {
      return work()
    } finally {
      this.evaluator.abandon()
    }
  }

  /** The current directory's path. */
  get directory(): string {
    return this.evaluator.currentDirectory
  }

  /** The names below a path of the K tree. */
  names(path: string): Look["entries"] {
    return this.look({ path, depth: 1, skip: 0, most: Infinity }).entries
  }

  /** Inspects the value at a path; throws `KError` for an index that does not exist. */
  look(view: LookRequest): Look {
    return this.request(({ precision, variables }) => {
      const value = variables.look(view.path)
      return value === undefined ? { entries: [], total: 0, absent: true } : look(value, view, (x) => preview(x, precision))
    })
  }

  /** Functions of the whole tree with their text, at most `most`. */
  functions(most: number): readonly { readonly path: string; readonly text: string }[] {
    const shown = ({ path, value }: Cell): readonly { readonly path: string; readonly text: string }[] =>
      value instanceof Func ? [{ path, text: value.text.slice(0, LONGEST_KEPT) }] : []
    return this.request(({ tree }) => tree.root.all.flatMap(shown).slice(0, most))
  }

  /** The variables that changed since the answer numbered `since`; see `TreeCaptures.ts`. */
  capture(since: number, limits: CaptureLimits): Changes & { readonly serial: number } {
    return this.request(() => this.captures.capture(since, limits))
  }

  /** Variables whose image would take more than `most` bytes, so that no capture has them. */
  large(most: number): readonly { readonly path: string; readonly bytes: number }[] {
    return this.request(() => this.captures.large(most))
  }

  /** Removes names and restores captured values; gives the values that did not come back equal. The workspace is given with the last call. */
  restore(given: readonly VariableToRestore[], workspace: TreeSettings | undefined, removed?: readonly string[]): readonly NotRestored[] {
    return this.request(() => this.captures.restore(given, workspace, removed))
  }

  /** Marks the state; `back` returns to it, once, unless a capture was made in between. */
  mark(): void {
    this.request(() => this.captures.mark())
  }
  back(): void {
    this.request(() => this.captures.back())
  }

  /** Runs a request of the host within the interpreter's own budget. */
  private request<A>(work: (evaluator: TreeEvaluator) => A): A {
    return this.within(this.budget, () => work(this.evaluator))
  }
}

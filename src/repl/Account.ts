/**
 * The limits of one evaluation over all its statements: steps, and memory in addition to the memory in use when its first statement begins.
 * Guarantees: a statement without limits is not counted. Does not: keep the count when the next evaluation begins.
 */
import type { Allowance, Imaged } from "../k3/k3.ts"
import type { Memory } from "./memory.ts"

/** The limits in a request. */
export interface RequestLimits {
  /** True for the first statement of an evaluation. */
  readonly begins: boolean
  readonly steps?: number | undefined
  /** Bytes. */
  readonly memory?: number | undefined
}

export class Account {
  private before = 0
  private steps = Infinity
  private ceiling: { readonly memory: number; readonly growth: number } | undefined

  /** `dropCaches` frees the interpreter's caches. */
  constructor(
    readonly memory: Memory,
    private readonly dropCaches: () => void,
  ) {}

  run(limits: RequestLimits | undefined, evaluate: (allowance: Allowance) => Imaged): Imaged {
    if (limits === undefined) return evaluate({})
    if (limits.begins) {
      this.dropCaches()
      this.before = 0
      this.steps = limits.steps ?? Infinity
      this.ceiling = limits.memory === undefined ? undefined : { memory: this.memory.ceilingFor(limits.memory), growth: limits.memory }
    }
    const { before, ceiling } = this
    const steps = { steps: Math.max(0, this.steps - before), before }
    const done = ceiling === undefined ? evaluate(steps) : this.memory.below(ceiling.memory, () => evaluate({ ...steps, ...ceiling }))
    this.before += done.steps
    return done
  }
}

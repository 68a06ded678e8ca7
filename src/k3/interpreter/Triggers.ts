/** Runs triggers: knows the amended variable for `_v` and `_i`, and limits how deep triggers run triggers. */
import { KError } from "../run/KError.ts"
import type { Amended } from "../run/kernel.ts"

const DEEPEST = 32

export class Triggers {
  private depth = 0
  amended: Amended | undefined = undefined

  run(amended: Amended, work: () => void): void {
    if (this.depth >= DEEPEST) throw new KError("stack", "triggers run triggers without end")
    const before = this.amended
    this.depth++
    this.amended = amended
    try {
      work()
    } finally {
      this.depth--
      this.amended = before
    }
  }
}

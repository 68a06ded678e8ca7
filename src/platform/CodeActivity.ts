/**
 * Tells when K code may run: during an evaluation, for `afterMs` after it, and while a process or library that it left behind runs.
 *
 * Guarantees: no reply waits for the check of what was left behind. Does not: check an engine that makes no folders, since it starts no process and
 * loads no library either.
 */
export class CodeActivity {
  private running = 0
  private endedAt = Number.NEGATIVE_INFINITY
  /** Can the engine of the running or last evaluation make folders? */
  makesFolders = false
  /** The pids of engines with K code that still runs after its evaluation. */
  private readonly leftRunning = new Set<number>()
  /** The pids of engines whose evaluation ended since the last check. */
  private readonly unchecked = new Set<number>()
  private nextCheck: NodeJS.Timeout | undefined

  /** `isLeftRunning`: does K code of the engine with this pid still run? To ask costs more than an evaluation. */
  constructor(
    private readonly afterMs: number,
    private readonly isLeftRunning: (engine: number) => boolean,
  ) {}

  mayRun(): boolean {
    return this.running > 0 || this.leftRunning.size > 0 || performance.now() - this.endedAt < this.afterMs
  }

  began(makesFolders: boolean): void {
    this.makesFolders = makesFolders || (this.mayRun() && this.makesFolders)
    this.hold()
  }

  /** Called after an evaluation; `engine`: the pid of its engine. */
  ended(engine: number): void {
    if (this.makesFolders) this.unchecked.add(engine)
    this.release()
    this.checkLater()
  }

  /** Counts as an evaluation until `release`. */
  hold(): void {
    this.running++
  }

  release(): void {
    this.running--
    this.endedAt = performance.now()
  }

  close(): void {
    clearTimeout(this.nextCheck)
  }

  /** Checks the engines after half of the time in which K code may run anyway. */
  private checkLater(): void {
    if (this.leftRunning.size + this.unchecked.size > 0) this.nextCheck ??= setTimeout(() => this.check(), this.afterMs / 2).unref()
  }

  private check(): void {
    this.nextCheck = undefined
    if (this.leftRunning.size > 0) this.endedAt = performance.now()
    for (const engine of new Set([...this.leftRunning, ...this.unchecked]))
      if (this.isLeftRunning(engine)) this.leftRunning.add(engine)
      else this.leftRunning.delete(engine)
    this.unchecked.clear()
    this.checkLater()
  }
}

/**
 * The rows of a variable, read by `k_rows` as they come into view. Guarantees: while an evaluation runs, the reader says so and asks again. Does not:
 * follow the variable; a row shows the value at the time it was read.
 */
import { batch, signal } from "@preact/signals"
import type { Layout } from "./layout.ts"
import { type Cells, Pages } from "./Pages.ts"

/** Milliseconds until a call is repeated that was refused because an evaluation runs. */
const firstWait = 200
const longestWait = 3200

/** The reply of `k_rows`. */
export interface RowsReply {
  readonly ok: boolean
  readonly rows?: number
  readonly columns?: readonly string[]
  readonly cells?: Cells
  readonly error?: { readonly name: string; readonly text: string }
}

/** The variable that is read. */
interface ReadVariable {
  readonly path: string
  /** Undefined for the session that the server takes by default. */
  readonly session: string | undefined
  readonly layout: Layout
}

interface Table {
  readonly columns: readonly string[]
  readonly rows: number
}

/** The rows that `ask` gives; asks again while an evaluation runs and `onBusy` gives true. */
export const whenFree = async (ask: () => Promise<RowsReply>, onBusy: () => boolean) => {
  for (let wait = firstWait; ; wait = Math.min(2 * wait, longestWait)) {
    const { rows = 0, columns = [], cells = [], error } = await ask()
    if (error === undefined) return { rows, columns, cells }
    if (error.name !== "busy") throw new Error(error.text)
    if (!onBusy()) return undefined
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
}

export class Reader {
  /** Undefined until the first reply. */
  readonly table = signal<Table | undefined>(undefined)
  readonly problem = signal("")
  readonly pages = new Pages({
    rows: () => this.table.value?.rows ?? 0,
    fetch: (from, count) => this.read(from, count),
    failed: (error) => this.fail(error),
  })
  private isOpen = true

  /** `ask`: calls `k_rows`. */
  constructor(
    private readonly variable: ReadVariable,
    private readonly ask: (args: object) => Promise<RowsReply>,
  ) {}

  /** Reads the number of rows and the columns. */
  async open(): Promise<void> {
    await this.read(0, 0).catch((error: unknown) => this.fail(error))
  }

  /** Ends all repetitions. */
  close(): void {
    this.isOpen = false
  }

  private fail(error: unknown): void {
    this.problem.value = (error as Error).message
  }

  private async read(from: number, count: number): Promise<Cells> {
    const { path, session, layout } = this.variable
    const columns = layout.kind === "table" ? layout.names : undefined
    const found = await whenFree(
      () => this.ask({ path, from, count, ...(session !== undefined && { session }), ...(columns !== undefined && { columns }) }),
      () => {
        this.problem.value = "An evaluation is running; the rows come when it is done."
        return this.isOpen
      },
    )
    if (found === undefined) return []
    this.show(found)
    return found.cells
  }

  private show({ rows, columns }: Table): void {
    const { value: table } = this.table
    batch(() => {
      this.problem.value = ""
      if (table?.rows === rows && table.columns.join() === columns.join()) return
      this.table.value = { rows, columns }
      this.pages.renew()
    })
  }
}

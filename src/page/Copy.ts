/**
 * A copy of a variable in a session that belongs to the page: sorting and filtering the copy neither waits for the agent's evaluations nor changes
 * the agent's variables.
 *
 * Guarantees: one copy per object; the copy's session is ephemeral and keeps nothing; requests to the copy run one after the other. Does not: follow
 * the variable; `renew` copies it again.
 */
import { signal } from "@preact/signals"
import type { Layout } from "../grid/layout.ts"
import { type Cells, Pages } from "../grid/Pages.ts"
import { whenFree } from "../grid/Reader.ts"
import { columnsCode, copiedFor, type Order, rowsCode, shownNames, shownPath } from "./arrange.ts"
import type { PageStore } from "./PageStore.ts"

export interface CopiedTable {
  readonly columns: readonly string[]
  readonly rows: number
  readonly filter: string
  readonly order: Order | undefined
}

/** Pixels of a plot, which has less room beside the transcript than elsewhere. */
const plotSize = { width: 480, height: 300 }

/** A plot that is drawn: its address, and its figures in words. */
export interface Drawn {
  readonly uri: string
  readonly title: string
  readonly summary: readonly string[]
}

/** Milliseconds between two attempts to merge a variable that the server has not captured yet. */
const firstWait = 200
const longestWait = 6400

/** An error of K or a refusal of a tool, in the server's words. */
class Problem extends Error {}

export class Copy {
  readonly table = signal<CopiedTable | undefined>(undefined)
  readonly problem = signal("")
  readonly pages = new Pages({
    rows: () => this.table.value?.rows ?? 0,
    fetch: (from, count) => this.cells(from, count),
    failed: (error) => this.fail(error),
  })
  private readonly name = `page-${crypto.randomUUID().slice(0, 8)}`
  private turn: Promise<unknown> = Promise.resolve()
  /** The number of the connection to the server (`PageStore.arrivals`) for which the copy was made; undefined when a copy is due. */
  private begun: number | undefined

  constructor(
    private readonly store: PageStore,
    private readonly session: string,
    private readonly path: string,
    private readonly layout: Layout,
  ) {}

  open(): Promise<void> {
    return this.inTurn(() => this.begin())
  }

  /** Copies the variable again. */
  renew(): Promise<void> {
    return this.inTurn(async () => {
      this.begun = undefined
      await this.begin()
    })
  }

  /** `next`: the filter and the order, given the table after all earlier work: a filter may be asked for before an order is there. */
  arrange(next: (table: CopiedTable) => Pick<CopiedTable, "filter" | "order">): Promise<void> {
    return this.inTurn(async () => {
      await this.begin()
      const table = this.table.value!
      const { columns } = table
      const { filter, order } = next(table)
      const rows = Number(await this.value(rowsCode(columns, filter, order)))
      this.show({ columns, rows, filter, order })
    })
  }

  /** Plots a column. Undefined when it fails; `problem` says why. */
  plot(column: number): Promise<Drawn | undefined> {
    return this.inTurn(async () => {
      await this.begin()
      const { columns } = this.table.value!
      const title = columns[column]!
      const code = `${shownPath}.${shownNames(columns)[column]!}`
      const { svg, summary } = await this.tell("k_plot", { code, session: this.name, title, ...plotSize })
      return { uri: svg, title, summary }
    })
  }

  /** Closes the copy's session after the work under way. */
  close(): void {
    void this.inTurn(() => this.end())
  }

  /** Closes the copy's session at once: the page is being left, and the replies to its requests may never come. */
  leave(): void {
    this.end().catch((error: unknown) => this.fail(error))
  }

  private async end(): Promise<void> {
    this.begun = undefined
    await this.tell("k_session", { action: "close", name: this.name })
  }

  /** Makes the copy unless there is one. A new connection to the server, or an error, makes a new copy due. */
  private async begin(): Promise<void> {
    const { arrivals } = this.store
    if (this.begun === arrivals) return
    this.begun = arrivals
    // The session may still exist from before a reconnection; or as an ordinary one, when another client closed it and the page read rows of it.
    await this.store.call("k_session", { action: "close", name: this.name })
    await this.store.call("k_session", { action: "create", name: this.name, engine: "embedded", ephemeral: true })
    await this.fill()
  }

  private async fill(): Promise<void> {
    await this.merge(firstWait)
    const { path, layout } = this
    const columns = layout.kind === "table" ? layout.names : (await this.rows({ path }, 0, 0)).columns
    const arranged = async (filter: string, order: Order | undefined): Promise<void> => {
      const rows = await this.value(`${columnsCode(path, layout, columns.length)}\n${rowsCode(columns, filter, order)}`)
      this.show({ columns, rows: Number(rows), filter, order })
    }
    const { filter = "", order } = this.table.value ?? {}
    try {
      await arranged(filter, order)
    } catch (error) {
      // A filter or an order of an earlier value may not fit the value of now.
      if (!(error instanceof Problem)) throw error
      await arranged("", undefined)
    }
  }

  /**
   * Copies the variable from the session's last capture. A new variable is captured only after the session was idle for a moment, so the request is
   * repeated while the server does not know the name.
   */
  private async merge(wait: number): Promise<void> {
    const names = [copiedFor(this.path)]
    const { structured } = await this.store.call("k_session", {
      action: "merge",
      session: this.session,
      name: this.name,
      names,
      overwrite: true,
    })
    if (structured?.ok === true) return
    if (structured?.error?.name !== "names" || wait > longestWait) throw new Problem(structured?.error?.text ?? "It was refused.")
    await new Promise((resolve) => setTimeout(resolve, wait))
    return this.merge(2 * wait)
  }

  private show(table: CopiedTable): void {
    this.table.value = table
    this.pages.renew()
  }

  private async cells(from: number, count: number): Promise<Cells> {
    const asked = this.table.value
    const found = await this.inTurn(async () => {
      await this.begin()
      // In a table that was arranged meanwhile the rows may not exist; `Pages` asks again.
      if (this.table.value !== asked) return []
      return (await this.rows({ path: shownPath, columns: shownNames(asked!.columns) }, from, count)).cells
    })
    if (found === undefined) throw new Problem(this.problem.value)
    return found
  }

  /** Rows of a variable of the copy's session. */
  private async rows(of: { readonly path: string; readonly columns?: readonly string[] }, from: number, count: number) {
    const ask = async () => (await this.store.call("k_rows", { ...of, from, count, session: this.name })).structured
    return (await whenFree(ask, () => true))!
  }

  private fail(error: unknown): undefined {
    this.begun = undefined
    this.problem.value = (error as Error).message
  }

  /** Runs work after all earlier work. Undefined when it fails; `problem` says why. */
  private inTurn<A>(work: () => Promise<A>): Promise<A | undefined> {
    const done = this.turn.then(work).then(
      (result) => {
        this.problem.value = ""
        return result
      },
      (error: unknown) => this.fail(error),
    )
    this.turn = done
    return done
  }

  private async tell(tool: string, args: object): Promise<any> {
    const { structured } = await this.store.call(tool, args)
    if (structured?.ok !== true) throw new Problem(structured?.error?.text ?? "It was refused.")
    return structured
  }

  private async value(code: string): Promise<any> {
    return (await this.tell("k_eval", { code, session: this.name, value: true })).value
  }
}

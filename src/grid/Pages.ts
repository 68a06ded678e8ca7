/**
 * The cells of a table, fetched by pages as they come into view. Guarantees: a bounded number is held; cells requested before `renew` are never shown
 * after it. Does not: know where cells come from.
 */
import { signal } from "@preact/signals"

/** For each column, the cells of its rows. */
export type Cells = readonly (readonly string[])[]

const rowsOfPage = 100
const mostHeld = 60

interface CellSource {
  /** Rows of the table; 0 until it is known. */
  readonly rows: () => number
  readonly fetch: (from: number, count: number) => Promise<Cells>
  readonly failed: (error: unknown) => void
}

export class Pages {
  /** By the number of the page. */
  readonly held = signal<ReadonlyMap<number, Cells>>(new Map())
  private wanted: readonly number[] = []
  private isFetching = false
  /** Raised whenever the rows may have changed. */
  private version = 0

  constructor(private readonly source: CellSource) {}

  /** Fetches the pages of the rows in view that are not held. */
  want(first: number, count: number): void {
    const [a, b] = [Math.floor(first / rowsOfPage), Math.floor(Math.max(first, first + count - 1) / rowsOfPage)]
    this.wanted = Array.from({ length: b - a + 1 }, (_, n) => a + n)
    void this.load()
  }

  /** Forgets all cells: the rows have changed. */
  renew(): void {
    this.version++
    this.held.value = new Map()
    void this.load()
  }

  /** Undefined until it is fetched. */
  cell(row: number, column: number): string | undefined {
    return this.held.value.get(Math.floor(row / rowsOfPage))?.[column]?.[row % rowsOfPage]
  }

  private async load(): Promise<void> {
    if (this.isFetching) return
    this.isFetching = true
    try {
      for (let page = this.missing(); page !== undefined; page = this.missing()) {
        const { version } = this
        const from = page * rowsOfPage
        const cells = await this.source.fetch(from, Math.min(rowsOfPage, this.source.rows() - from))
        if (version === this.version) this.keep(page, cells)
      }
    } catch (error) {
      this.source.failed(error)
    } finally {
      this.isFetching = false
    }
  }

  private missing(): number | undefined {
    const rows = this.source.rows()
    return this.wanted.find((page) => page * rowsOfPage < rows && !this.held.value.has(page))
  }

  private keep(page: number, cells: Cells): void {
    const pages = new Map(this.held.value).set(page, cells)
    for (const old of pages.keys()) if (pages.size > mostHeld && !this.wanted.includes(old)) pages.delete(old)
    this.held.value = pages
  }
}

/**
 * The cells of a table, fetched by pages as they come into view. Guarantees: a bounded number is held; cells requested before `renew` are never shown
 * after it. Does not: know where cells come from.
 */
import { signal } from "@preact/signals"

/** For each column, the cells of its rows. */
export type Cells = readonly (readonly string[])[]

const mostHeld = 60

interface CellSource {
  /** Rows of the table, and rows of one page. 0 rows until the table is known. */
  readonly size: () => { readonly rows: number; readonly rowsOfPage: number }
  readonly fetch: (from: number, count: number) => Promise<Cells>
  readonly failed: (error: unknown) => void
}

/** The number of rows in a page can change. The number of a page then means other rows. */
const keyOf = (page: number, rowsOfPage: number): string => `${page} of ${rowsOfPage}`

export class Pages {
  /** By `keyOf`. */
  readonly held = signal<ReadonlyMap<string, Cells>>(new Map())
  private wanted: readonly number[] = []
  private isFetching = false
  /** Raised whenever the rows may have changed. */
  private version = 0

  constructor(private readonly source: CellSource) {}

  get rowsOfPage(): number {
    return this.source.size().rowsOfPage
  }

  /** Fetches the pages of the rows in view that are not held. */
  want(first: number, count: number): void {
    const { rowsOfPage } = this
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
    const { rowsOfPage } = this
    return this.held.value.get(keyOf(Math.floor(row / rowsOfPage), rowsOfPage))?.[column]?.[row % rowsOfPage]
  }

  private async load(): Promise<void> {
    if (this.isFetching) return
    this.isFetching = true
    try {
      for (let page = this.missing(); page !== undefined; page = this.missing()) {
        const { version } = this
        const { rows, rowsOfPage } = this.source.size()
        const from = page * rowsOfPage
        const cells = await this.source.fetch(from, Math.min(rowsOfPage, rows - from))
        if (version === this.version) this.keep(keyOf(page, rowsOfPage), cells)
      }
    } catch (error) {
      this.source.failed(error)
    } finally {
      this.isFetching = false
    }
  }

  private missing(): number | undefined {
    const { rows, rowsOfPage } = this.source.size()
    return this.wanted.find((page) => page * rowsOfPage < rows && !this.held.value.has(keyOf(page, rowsOfPage)))
  }

  private keep(key: string, cells: Cells): void {
    const pages = new Map(this.held.value).set(key, cells)
    const wanted = new Set(this.wanted.map((page) => keyOf(page, this.rowsOfPage)))
    for (const old of pages.keys()) if (pages.size > mostHeld && !wanted.has(old)) pages.delete(old)
    this.held.value = pages
  }
}

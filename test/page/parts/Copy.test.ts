/** The copy of a table: what a person arranges and scrolls while its session answers late, refuses, or has other values than before. */
import { describe, expect, it } from "vitest"
import type { Layout } from "../../../src/grid/layout.ts"
import { Copy } from "../../../src/page/Copy.ts"
import type { PageStore } from "../../../src/page/PageStore.ts"

/** A session that holds a table of numbers as wide as `width`, of which a filter on `value` leaves ten rows. */
class Session {
  width = 1
  rows = 1000
  isBusy = false
  closed = 0
  private left = 0
  readonly asked: string[] = []
  readonly gates: (() => void)[] = []
  isHeld = (_request: string): boolean => false

  readonly store = {
    arrivals: 1,
    call: async (
      tool: string,
      args: { readonly code?: string; readonly action?: string; readonly from?: number; readonly count?: number },
    ) => {
      const { code = "", action, from = 0, count = 0 } = args
      if (action === "close") this.closed++
      if (tool === "k_session") return { structured: { ok: true } }
      this.asked.push(`${tool} ${code}`)
      if (this.isHeld(`${tool} ${code}`)) await new Promise<void>((open) => void this.gates.push(open))
      return { structured: tool === "k_rows" ? this.read(from, count) : this.evaluate(code) }
    },
  } as unknown as PageStore

  private evaluate(code: string): object {
    const column = /c(\d)>|pagec\[(\d)\]\[pagei\]/
      .exec(code)
      ?.slice(1)
      .find((each) => each !== undefined)
    if (Number(column) >= this.width) return { ok: false, error: { name: "value", text: "value error" } }
    return { ok: true, value: (this.left = code.includes(">") ? 10 : this.rows) }
  }

  private read(from: number, count: number): object {
    if (this.isBusy) return { ok: false, error: { name: "busy", text: "An evaluation is running." } }
    if (from + count > this.left && count > 0) return { ok: false, error: { name: "size", text: "These rows cannot be read." } }
    const columns = this.width > 1 ? Array.from({ length: this.width }, (_, n) => `c${n}`) : ["value"]
    return { ok: true, rows: this.left, columns, cells: columns.map(() => Array.from({ length: count }, (_, n) => `${from + n}`)) }
  }
}

const make = async (layout: Layout = { kind: "array" }, parts: Partial<Session> = {}) => {
  const session = Object.assign(new Session(), parts)
  const copy = new Copy(session.store, "main", ".k.v", layout)
  await copy.open()
  return { session, copy }
}

describe("J6 the copy of a table", () => {
  it("has its rows also when a person scrolled while a filter was evaluated that leaves fewer", async () => {
    const { session, copy } = await make()
    session.isHeld = (code) => code.includes("value>5")
    const filtered = copy.arrange(() => ({ filter: "value>5", order: undefined }))
    await expect.poll(() => session.gates.length).toBe(1)
    copy.pages.want(500, 20)
    session.gates[0]!()
    await filtered
    copy.pages.want(0, 10)
    await expect.poll(() => copy.pages.cell(9, 0)).toBe("9")
    expect([copy.table.value?.rows, copy.problem.value]).toEqual([10, ""])
  })

  it("keeps the order that was asked for right before a filter", async () => {
    const { copy } = await make()
    const order = { column: 0, down: false }
    void copy.arrange(({ filter }) => ({ filter, order }))
    await copy.arrange((table) => ({ filter: "value>5", order: table.order }))
    expect(copy.table.value).toMatchObject({ filter: "value>5", order })
  })

  it("drops a filter and an order that the variable as it is now does not take", async () => {
    for (const [filter, order] of [
      ["c2>0", undefined],
      ["", { column: 2, down: true }],
    ] as const) {
      const { session, copy } = await make({ kind: "array" }, { width: 3 })
      await copy.arrange(() => ({ filter, order }))
      expect(copy.problem.value).toBe("")
      session.width = 2
      await copy.renew()
      expect([copy.problem.value, copy.table.value]).toEqual(["", { columns: ["c0", "c1"], rows: 1000, filter: "", order: undefined }])
    }
  })

  it("has its rows also when its interpreter was busy at first, and says why there are none", async () => {
    const { session, copy } = await make()
    session.isBusy = true
    copy.pages.want(0, 20)
    await expect.poll(() => session.asked.filter((each) => each.startsWith("k_rows")).length).toBeGreaterThan(2)
    session.isBusy = false
    await expect.poll(() => copy.pages.cell(19, 0)).toBe("19")
    session.rows = 3
    copy.pages.want(2000, 20)
    await copy.renew()
    copy.table.value = { ...copy.table.value!, rows: 3000 }
    copy.pages.want(2000, 20)
    await expect.poll(() => copy.problem.value).toBe("These rows cannot be read.")
  })

  it("closes its session at once when the page is left, also while rows are read", async () => {
    const { session, copy } = await make()
    session.isHeld = () => true
    copy.pages.want(0, 10)
    await expect.poll(() => session.gates.length).toBe(1)
    const before = session.closed
    copy.leave()
    expect(session.closed).toBe(before + 1)
  })

  it("closes its session after the work under way when another view is shown", async () => {
    const { session, copy } = await make()
    session.isHeld = () => true
    copy.pages.want(0, 10)
    await expect.poll(() => session.gates.length).toBe(1)
    const before = session.closed
    copy.close()
    await Promise.resolve()
    expect(session.closed).toBe(before)
    session.gates[0]!()
    await expect.poll(() => session.closed).toBe(before + 1)
  })
})

/** The copy of a table: what a person arranges and scrolls while its session answers late, refuses, or has other values than before. */
import { describe, expect, it } from "vitest"
import type { Layout } from "../../../src/grid/layout.ts"
import { Copy } from "../../../src/page/Copy.ts"
import type { Store } from "../../../src/page/Store.ts"

/** A session that holds a table of numbers as wide as `width`, of which a filter on `value` leaves ten rows. */
class Session {
  width = 1
  /** Rows in one reply at most. */
  most = 1000
  rows = 1000
  closed = 0
  private left = 0
  readonly asked: string[] = []
  readonly gates: (() => void)[] = []
  isHeld = (_code: string): boolean => false

  readonly store = {
    arrivals: 1,
    status: { value: undefined },
    call: async (tool: string, { code = "", action }: { readonly code?: string; readonly action?: string }) => {
      if (action === "close") this.closed++
      if (tool !== "k_eval") return { structured: { ok: true } }
      this.asked.push(code)
      if (this.isHeld(code)) await new Promise<void>((open) => void this.gates.push(open))
      return { structured: this.evaluate(code) }
    },
  } as unknown as Store

  private evaluate(code: string): object {
    if (code.includes("^pagev")) return { ok: true, value: this.width === 1 ? [this.rows] : [this.rows, this.width] }
    const column = /c(\d)>|pagec\[(\d)\]\[pagei\]/
      .exec(code)
      ?.slice(1)
      .find((each) => each !== undefined)
    if (Number(column) >= this.width) return { ok: false, error: { name: "value", text: "value error" } }
    if (code.includes("#pagei")) return { ok: true, value: (this.left = code.includes(">") ? 10 : this.rows) }
    const [, from, count] = /pagei\[(\d+)\+!(\d+)\]/.exec(code)!.map(Number) as [number, number, number]
    if (from + count > this.left) return { ok: false, error: { name: "index", text: "index error" } }
    if (count > this.most) return { ok: true, output: "…", notice: "There is no JSON of it." }
    return { ok: true, value: Array.from({ length: this.width }, () => Array.from({ length: count }, (_, n) => `${from + n}`)) }
  }
}

const make = async (layout: Layout = { kind: "vector" }, parts: Partial<Session> = {}) => {
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
      const { session, copy } = await make({ kind: "list" }, { width: 3 })
      await copy.arrange(() => ({ filter, order }))
      expect(copy.problem.value).toBe("")
      session.width = 2
      await copy.renew()
      expect([copy.problem.value, copy.table.value]).toEqual(["", { columns: ["c0", "c1"], rows: 1000, filter: "", order: undefined }])
    }
  })

  it("shows cells that are too long for one reply by several, and says why there is none of a row", async () => {
    const { session, copy } = await make({ kind: "vector" }, { most: 10 })
    copy.pages.want(0, 20)
    await expect.poll(() => copy.pages.cell(86, 0)).toBe("86")
    session.most = 0
    copy.pages.renew()
    await expect.poll(() => copy.problem.value).toContain("There is no JSON of it.")
  })

  it("closes its session at once when the page is left, also while rows are read", async () => {
    const { session, copy } = await make()
    session.isHeld = () => true
    copy.pages.want(0, 10)
    await expect.poll(() => session.gates.length).toBe(1)
    copy.leave()
    expect(session.closed).toBe(1)
  })

  it("closes its session after the work under way when another view is shown", async () => {
    const { session, copy } = await make()
    session.isHeld = () => true
    copy.pages.want(0, 10)
    await expect.poll(() => session.gates.length).toBe(1)
    copy.close()
    await Promise.resolve()
    expect(session.closed).toBe(0)
    session.gates[0]!()
    await expect.poll(() => session.closed).toBe(1)
  })

  it("has a list of empty lists as one column", async () => {
    const { session, copy } = await make({ kind: "list" }, { width: 0, rows: 2 })
    expect(copy.table.value).toMatchObject({ columns: ["value"], rows: 2 })
    expect(session.asked).toContainEqual(expect.stringContaining("pagec:,pagev"))
  })
})

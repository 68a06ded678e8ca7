/** J2 how the page stands with its server: what follows from what it sees. */
import { describe, expect, it } from "vitest"
import { atFirst, back, gone, leftUnanswered, namesSeen, opened, reached, statusSeen } from "../../../src/page/standing.ts"

const main = { session: "main", pid: 1, generation: 1 }

describe("J2 the page's standing", () => {
  it("a server that went and came is told of once, with what it left unanswered", () => {
    expect(back(atFirst, 5)).toEqual([atFirst, undefined])
    const away = leftUnanswered(gone(gone(atFirst, 1000), 3000), "x:1")
    const [standing, said] = back(reached(away), 5000)
    expect(said).toMatch(/after 4 s\. No answer came to: x:1\./)
    expect(back(standing, 9000)[1]).toBeUndefined()
    expect(standing.unanswered).toEqual([])
  })

  it("what is watched is watched anew at a server that was reached again", () => {
    const standing = reached({ ...atFirst, watched: "k3://status" })
    expect([standing.arrivals, standing.watched]).toEqual([1, ""])
  })

  it("a session that is opened begins without what was seen of another one", () => {
    const [before] = namesSeen(reached(atFirst), main, ["a"])
    const standing = opened({ ...before, plots: "1" }, "side")
    expect([standing.shown, standing.plots, standing.sight]).toEqual(["side", "", undefined])
    expect(namesSeen(standing, { ...main, session: "side", generation: 4 }, [])[1]).toBeUndefined()
  })

  it("variables are due when the interpreter is another one than was seen, and not before one runs", () => {
    const [first, isDue] = statusSeen(atFirst, main)
    expect(isDue).toBe(false)
    expect(statusSeen(first, main)[1]).toBe(false)
    expect(statusSeen(first, { ...main, pid: 2, generation: 2 })[1]).toBe(true)
    const [none] = statusSeen(atFirst, { ...main, pid: undefined, generation: 0 })
    expect(statusSeen(none, main)[1]).toBe(false)
  })

  it("a loss is told by name when the variables of the fresh interpreter are read, once", () => {
    const [before] = namesSeen(reached(atFirst), main, ["a", "b"])
    const fresh = { ...main, pid: 2, generation: 2 }
    const [after, said] = namesSeen(before, fresh, ["b"])
    expect(said).toContain("lost: a")
    expect(namesSeen(after, fresh, ["b"])[1]).toBeUndefined()
    // Also of one that ended before its variables were read.
    expect(namesSeen(statusSeen(reached(atFirst), main)[0], fresh, [])[1]).toContain("fresh interpreter")
  })
})

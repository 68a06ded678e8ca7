/** J2 the page's standing with its server: transitions and announcements. */
import { describe, expect, it } from "vitest"
import { atFirst, back, gone, leftUnanswered, namesGlimpsed, namesSeen, opened, reached, statusSeen } from "../../../src/page/standing.ts"

const main = { session: "main", pid: 1, generation: 1 }

describe("J2 the page's standing", () => {
  it("a server that went and came back is announced once, with the code it left unanswered", () => {
    expect(back(atFirst, 5)).toEqual([atFirst, undefined])
    const away = leftUnanswered(gone(gone(atFirst, 1000), 3000), "x:1")
    const [standing, said] = back(reached(away), 5000)
    expect(said).toMatch(/after 4 s\. No answer came to: x:1\./)
    expect(back(standing, 9000)[1]).toBeUndefined()
    expect(standing.unanswered).toEqual([])
  })

  it("after a reconnection the subscriptions are made anew", () => {
    const standing = reached({ ...atFirst, watched: "k3://status" })
    expect([standing.arrivals, standing.watched]).toEqual([1, ""])
  })

  it("opening a session forgets the reading of the session before", () => {
    const [before] = namesSeen(reached(atFirst), main, ["a"])
    const standing = opened({ ...before, plots: "1" })
    expect([standing.plots, standing.reading]).toEqual(["", undefined])
    expect(namesSeen(standing, { ...main, session: "side", generation: 4 }, [])[1]).toBeUndefined()
  })

  it("variables are due when another interpreter runs than the one seen, and not before one runs", () => {
    const [first, isDue] = statusSeen(atFirst, main)
    expect(isDue).toBe(false)
    expect(statusSeen(first, main)[1]).toBe(false)
    expect(statusSeen(first, { ...main, pid: 2, generation: 2 })[1]).toBe(true)
    const [none] = statusSeen(atFirst, { ...main, pid: undefined, generation: 0 })
    expect(statusSeen(none, main)[1]).toBe(false)
  })

  it("lost names are announced once, when the variables of the fresh interpreter are read", () => {
    const [before] = namesSeen(reached(atFirst), main, ["a", "b"])
    const fresh = { ...main, pid: 2, generation: 2 }
    const [after, said] = namesSeen(before, fresh, ["b"])
    expect(said).toContain("lost: a")
    expect(namesSeen(after, fresh, ["b"])[1]).toBeUndefined()
    // Also of one that ended before its variables were read.
    expect(namesSeen(statusSeen(reached(atFirst), main)[0], fresh, [])[1]).toContain("fresh interpreter")
  })

  it("names read during an evaluation count until the settled ones are read, and never for a fresh interpreter", () => {
    const [first] = statusSeen(reached(atFirst), main)
    const fresh = { ...main, pid: 2, generation: 2 }
    const glimpsed = namesGlimpsed(first, main, ["a", "b"])
    expect(namesSeen(glimpsed, fresh, ["a", "b"])[1]).toContain("All 2 variables are there")
    expect(namesGlimpsed(first, fresh, ["a"])).toBe(first)
    expect(namesGlimpsed(first, main, [])).toBe(first)
    const [settled] = namesSeen(first, main, ["a", "b", "c"])
    expect(namesGlimpsed(settled, main, ["a"])).toBe(settled)
  })
})

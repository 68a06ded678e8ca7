/** N5 the limit of connections, under random sequences of events. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Connections } from "../../src/platform/connections.ts"

describe("N5 connections", () => {
  it("connections without a token are replaced first: of the address with the most, the longest idle one", () => {
    const connections = new Connections<string>(4)
    for (const [name, address] of [
      ["known", "a"],
      ["one", "b"],
      ["two", "c"],
      ["three", "c"],
    ] as const)
      expect(connections.add(name, address)).toBeUndefined()
    connections.shown("known", "anna")
    expect(connections.add("four", "d")).toBe("two")
    connections.begin("one")
    connections.begin("three")
    connections.begin("four")
    expect(connections.add("five", "d")).toBe("known")
    connections.begin("five")
    expect(connections.add("six", "e")).toBe("six")
    expect(connections.has("six")).toBe(false)
    connections.end("three")
    expect(connections.add("seven", "e")).toBe("three")
  })

  it("their number never exceeds the limit, and a connection with a running request is kept", () => {
    const event = fc.record({
      what: fc.constantFrom("add", "remove", "shown", "begin", "end"),
      which: fc.nat(9),
      whose: fc.constantFrom("a", "b", "c"),
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(event, { maxLength: 60 }), (most, events) => {
        const connections = new Connections<number>(most)
        const busy = new Map<number, number>()
        for (const { what, which, whose } of events) {
          const isHeld = connections.has(which)
          if (what === "add" && !isHeld) {
            const loser = connections.add(which, whose)
            expect(loser === undefined || loser === which || !busy.get(loser)).toBe(true)
            if (loser !== undefined && loser !== which) expect(connections.has(loser)).toBe(false)
            if (loser === which) expect(busy.size).toBe(most)
            else busy.delete(which)
          }
          if (what === "shown") connections.shown(which, whose)
          if (what === "remove" || (what === "end" && !busy.get(which))) {
            connections.remove(which)
            busy.delete(which)
          } else if ((what === "begin" && isHeld) || what === "end") {
            connections[what](which)
            const now = (busy.get(which) ?? 0) + (what === "begin" ? 1 : -1)
            if (now === 0) busy.delete(which)
            else busy.set(which, now)
          }
          for (const each of busy.keys()) expect(connections.has(each)).toBe(true)
          expect(Array.from({ length: 10 }, (_, each) => connections.has(each)).filter(Boolean).length).toBeLessThanOrEqual(most)
        }
      }),
    )
  })
})

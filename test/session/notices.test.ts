/** The notices about variables that each client gets. `sequences.test.ts` tests them in any order of events. */
import { expect, it } from "vitest"
import { attended, withRestore, noNotices, noticed, noticeOf, type Notices, post, replaced, pendingFor } from "../../src/session/notices.ts"

const told = (notices: Notices, reader: string, generation: number) => noticeOf(pendingFor(notices, reader, generation), generation)

it("S13 every present client gets a notice once, and no later client gets it", () => {
  const there = attended(attended(noNotices, "agent"), "console")
  const died = withRestore(post(there, { after: 1, why: "SIGSEGV" }), 1, { restored: 3, lost: [], missed: 1 }, 1)
  expect(told(died, "agent", 2)).toMatchObject({ kind: "restored", why: "SIGSEGV", restored: 3, missed: 1 })
  const one = noticed(died, "agent", 2)
  expect(told(one, "agent", 2)).toBeUndefined()
  expect(told(one, "late", 2)).toBeUndefined()
  expect(told(one, "console", 2)).toMatchObject({ kind: "restored", why: "SIGSEGV", restored: 3 })
  const both = noticed(one, "console", 2)
  expect(told(both, "console", 2)).toBeUndefined()
  expect(both.log).toEqual([])
})

it("S13 several relaunches become one notice, and each client gets what is new to it", () => {
  const there = attended(attended(noNotices, "agent"), "console")
  const lost = [{ path: ".k.a", why: "too large" }]
  const first = noticed(withRestore(post(there, { after: 1, why: "first" }), 1, { restored: 1, lost, missed: 1 }, 1), "agent", 2)
  const second = replaced(first, 2, { restored: 2, lost: [], missed: 2 }, 2)
  expect(told(second, "agent", 3)).toMatchObject({ why: "the interpreter was replaced", restored: 2, lost: [], missed: 2 })
  expect(told(second, "console", 3)).toMatchObject({ why: "the interpreter was replaced", restored: 2, lost, missed: 3 })
})

it("S13 later clients also get the notice of a restore from disk, until there is a newer notice", () => {
  const read = post(noNotices, { after: 0, why: "the server was restarted", savedMsAgo: 5 })
  const one = noticed(attended(withRestore(read, 0, { restored: 1, lost: [], missed: 0 }, 0), "agent"), "agent", 1)
  expect(told(one, "agent", 1)).toBeUndefined()
  expect(told(one, "other", 1)).toMatchObject({ kind: "restored", savedMsAgo: 5 })
  const newer = noticed(post(one, { after: 1, why: "SIGSEGV" }), "agent", 2)
  expect(told(newer, "other", 2)).toBeUndefined()
})

it("S13 variables that were read from disk and not restored, since a child without variables was launched, are told as gone", () => {
  const read = post(noNotices, { after: 0, why: "the server was restarted", savedMsAgo: 5 })
  const fresh = replaced(read, 0, undefined, 0)
  expect(told(fresh, "agent", 1)).toEqual({ kind: "fresh", generation: 1, why: "the interpreter was replaced", lost: [] })
})

it("S13 clients that disappear and notices without readers take bounded memory", () => {
  let notices = noNotices
  for (let i = 0; i < 1000; i++) notices = post(attended(notices, `client ${i}`), { after: i, why: `death ${i}` })
  expect(notices.positions.size).toBeLessThanOrEqual(64)
  expect(notices.log.length).toBeLessThanOrEqual(32)
  expect(told(notices, "client 999", 1001)).toMatchObject({ why: "death 999" })
})

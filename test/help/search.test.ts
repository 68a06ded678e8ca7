/** D2 the index of words is the same however it comes to be: at once, in steps, or in steps that several take in turn. */
import { expect, it } from "vitest"
import { entries } from "../../src/help/help.ts"
import { makeSearch } from "../../src/help/search.ts"

const ranked = (search: ReturnType<typeof makeSearch>): readonly string[] =>
  search.ranked("sort moving averages", 8).map(({ form }) => form)

it("D2 an index made in small steps finds what one made at once does", () => {
  const atOnce = ranked(makeSearch(entries))
  expect(atOnce.length).toBe(8)
  const steps = makeSearch(entries)
  expect([...steps.prepare()].length).toBeGreaterThan(entries.length / 10)
  expect(ranked(steps)).toEqual(atOnce)
  expect([...steps.prepare()]).toEqual([])
})

it("D2 two that make it, and one that asks before it is made, do not meet an entry twice", () => {
  const search = makeSearch(entries)
  const [one, other] = [search.prepare(), search.prepare()]
  for (let i = 0; i < 20; i++) {
    one.next()
    other.next()
  }
  expect(ranked(search)).toEqual(ranked(makeSearch(entries)))
  expect([...one, ...other]).toEqual([])
})

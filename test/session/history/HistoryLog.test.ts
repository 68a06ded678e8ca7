/**
 * The history of one session in memory.
 *
 * H1 the limit is never exceeded; the oldest whole entries are dropped. H2 pages give each entry once while others arrive.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { type HistoryEntry, HistoryLog, parsed } from "../../../src/session/history/HistoryLog.ts"

const evaluation = (code: string, rest: Partial<HistoryEntry> = {}): Omit<HistoryEntry, "n"> => ({
  at: 0,
  code,
  output: "",
  ok: true,
  ms: 1,
  generation: 1,
  ...rest,
})

const inMemory = (kept: number): HistoryLog => new HistoryLog(kept, () => Effect.succeed([]))
const all = (log: HistoryLog): readonly HistoryEntry[] => Effect.runSync(log.page({ limit: 1e9 })).entries
const texts = fc.string({ unit: "binary", maxLength: 40 })

describe("HistoryLog", () => {
  it("H1 entries are read as they were recorded, numbered from 1", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(texts, texts)), (given) => {
        const log = inMemory(2 ** 20)
        const entries = given.map(([code, output]) => evaluation(code, { output }))
        assert.deepStrictEqual(
          entries.map((entry) => log.record(entry).n),
          entries.map((_, i) => i + 1),
        )
        assert.deepStrictEqual(
          all(log),
          entries.map((entry, i) => Object.assign({ n: i + 1 }, entry)),
        )
      }),
    )
  })

  it("N10 an entry of an earlier version, without a caller, is read; one with an invalid caller is not", () => {
    const line = (rest: object) => JSON.stringify({ n: 1, ...evaluation("a"), ...rest })
    assert.strictEqual(parsed(line({}))?.code, "a")
    assert.strictEqual(parsed(line({ by: "anna" }))?.by, "anna")
    assert.isUndefined(parsed(line({ by: "a b" })))
  })

  it("H1 the limit is never exceeded; the newest entries are kept, nearly as many as fit", () => {
    const kept = 4096
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 200 }), (lengths) => {
        const log = inMemory(kept)
        const sizes: number[] = []
        for (const length of lengths) {
          const before = log.held
          const { n } = log.record(evaluation("é".repeat(length % 7) + "x".repeat(length)))
          const [newest] = all(log).slice(-1)
          sizes.push(JSON.stringify(newest).replaceAll(/[^\0-\x7f]/g, "......").length + 1)
          assert.isAtMost(log.held, kept)
          assert.strictEqual(newest!.n, n)
          // Less only when entries were dropped.
          assert.isTrue(log.held === before + sizes.at(-1)! || before + sizes.at(-1)! > kept)
        }
        const numbers = all(log).map(({ n }) => n)
        assert.deepStrictEqual(
          numbers,
          numbers.map((_, i) => log.first + i),
        )
        assert.strictEqual(numbers.at(-1), lengths.length)
        assert.strictEqual(
          log.held,
          sizes.slice(log.first - 1).reduce((sum, size) => sum + size, 0),
        )
        if (log.first > 1) assert.isAbove(log.held, kept / 2)
      }),
    )
  })

  it("H1 code, output and error text are cut at a limit, and the entry has the original length", () => {
    const log = inMemory(2 ** 20)
    log.record(
      evaluation("x".repeat(2 ** 20), { output: "é".repeat(2 ** 20), ok: false, error: { name: "type", text: "\n".repeat(2 ** 20) } }),
    )
    const [entry] = all(log)
    assert.deepInclude(entry, { codeCut: 2 ** 20, bytes: 2 ** 21 })
    assert.isAtMost(log.held, 2 ** 20)
    assert.isAbove(entry!.code.length, 100_000)
  })

  it("H2 a cursor visits each entry once, oldest and newest included, while others arrive", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 60 }),
        fc.array(fc.record({ limit: fc.integer({ min: 1, max: 9 }), arriving: fc.integer({ min: 0, max: 5 }) }), { minLength: 1 }),
        fc.boolean(),
        (count, pages, odd) => {
          const log = inMemory(2 ** 20)
          for (let i = 0; i < count; i++) log.record(evaluation(i % 2 === 0 ? "odd" : "even"))
          const seen: number[] = []
          let before: number | undefined
          for (let i = 0; ; i++) {
            const { limit, arriving } = pages[i % pages.length]!
            const page = Effect.runSync(log.page({ limit, text: odd ? "odd" : undefined, ...(before !== undefined && { before }) }))
            seen.unshift(...page.entries.map(({ n }) => n))
            for (let k = 0; k < arriving; k++) log.record(evaluation("late"))
            if (page.cursor === undefined) break
            assert.strictEqual(page.entries.length, limit)
            before = page.cursor
          }
          assert.deepStrictEqual(
            seen,
            Array.from({ length: count }, (_, i) => i + 1).filter((n) => !odd || n % 2 === 1),
          )
        },
      ),
    )
  })

  it("H2 a range has its first and its last entry", () => {
    const log = inMemory(2 ** 20)
    for (let i = 0; i < 20; i++) log.record(evaluation(`e${i}`))
    const { entries, cursor } = Effect.runSync(log.page({ from: 5, before: 9, limit: 100 }))
    assert.deepStrictEqual([entries.map(({ n }) => n), cursor], [[5, 6, 7, 8], undefined])
  })
})

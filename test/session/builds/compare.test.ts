/** R6 the differences of a comparison, over sides that answer from a table. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { compare } from "../../../src/session/builds/compare.ts"
import type { RunItem } from "../../../src/session/builds/caseFile.ts"
import type { RunResult, CodeRunner } from "../../../src/session/builds/Scratch.ts"
import { Announce } from "../../../src/session/Announce.ts"

const answered = (printed: string): RunResult => ({ how: "answered", printed, ms: 1 })
const died: RunResult = { how: "died", printed: "", why: "exit code 1", ms: 2 }
const late: RunResult = { how: "deadline", printed: "", why: "late", ms: 3 }
const item = (code: string, rest: Partial<RunItem> = {}): RunItem => ({ name: "", code, how: "exact", fresh: false, goOn: true, ...rest })
const side = (answers: Readonly<Record<string, RunResult>>, renewed: string[] = []): CodeRunner => ({
  run: (code) => Effect.sync(() => (renewed.push(code), answers[code] ?? answered(code))),
  renew: Effect.sync(() => void renewed.push("renew")),
  changes: () => [],
})
const options = { withinMs: 1000, all: false, what: "statement" }

describe("R6 the same code on two sides", () => {
  it.effect("differs in any character, except one newline at the end", () =>
    Effect.gen(function* () {
      const a = side({ x: answered("1\n"), y: answered("1 "), z: answered("1\n\n") })
      const b = side({ x: answered("1"), y: answered("1"), z: answered("1") })
      const done = yield* compare([item("same"), item("x"), item("y"), item("z")], a, b, options)
      assert.deepInclude(done, { items: 4, differing: 2, left: 0, ms: { a: 4, b: 4 } })
      assert.deepStrictEqual(
        done.rows.map(({ code }) => code),
        ["y", "z"],
      )
    }),
  )

  it.effect("ends without an answer are results: equal when of one kind, and counted as fallen when only b has one", () =>
    Effect.gen(function* () {
      const a = side({ both: died, a: died, late })
      const b = side({ both: died, b: died, late: died })
      const done = yield* compare([item("both"), item("a"), item("b"), item("late")], a, b, options)
      assert.deepInclude(done, { differing: 3, fallen: 1, unanswered: 1 })
      assert.deepStrictEqual(
        done.rows.map(({ code }) => code),
        ["a", "b", "late", "both"],
      )
    }),
  )

  it.effect("shapes and paddings are compared as the file says", () =>
    Effect.gen(function* () {
      const a = side({ random: answered("0.25 1"), image: answered('"\\001\\277\\000"') })
      const b = side({ random: answered("0.75 9"), image: answered('"\\001\\000\\000"') })
      assert.strictEqual((yield* compare([item("random", { how: "shape" })], a, b, options)).differing, 0)
      assert.strictEqual((yield* compare([item("random")], a, b, options)).differing, 1)
    }),
  )

  it.effect("expectations are counted by side; items on which b misses one are listed after the differing ones", () =>
    Effect.gen(function* () {
      const items = [item("1", { expected: "1" }), item("2", { expected: "3" }), item("4", { expected: "4" })]
      const done = yield* compare(items, side({}), side({ 4: answered("5") }), options)
      assert.deepInclude(done, { differing: 1, expected: { items: 3, a: 2, b: 1 } })
      assert.deepStrictEqual(
        done.rows.map(({ code, differ }) => [code, differ]),
        [
          ["4", true],
          ["2", false],
        ],
      )
    }),
  )

  it.effect("an item that begins anew renews both sides; progress is reported to the listener", () =>
    Effect.gen(function* () {
      const [a, b, told]: string[][] = [[], [], []]
      yield* Effect.provideService(
        compare([item("x", { fresh: true }), item("y")], side({}, a), side({}, b), options),
        Announce,
        (what) => void told!.push(what!),
      )
      assert.deepStrictEqual(a, ["renew", "x", "y"])
      assert.deepStrictEqual(b, a)
      assert.deepStrictEqual(told, ["statement 1 of 2: x", "statement 2 of 2: y"])
    }),
  )

  it.effect("it ends at its time limit, and keeps a limited number of rows", () =>
    Effect.gen(function* () {
      const slow: CodeRunner = { ...side({}), run: () => Effect.as(TestClock.adjust(10), answered("slow")) }
      const done = yield* compare(
        Array.from({ length: 500 }, (_, i) => item(String(i))),
        slow,
        side({}),
        options,
      )
      assert.strictEqual(yield* Clock.currentTimeMillis, 1000)
      assert.deepInclude(done, { items: 500, differing: 100, left: 400 })
      assert.lengthOf(done.rows, 12)
    }),
  )
})

/**
 * Looking things up: an exact key opens its entry, any other query ranks entries.
 *
 * D2 an exact name opens in full; words, also misspelt or unfinished, find entries on their subject; every answer is bounded.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { entries, lookUp, pageNames, topicPage, topicTitles } from "../../src/help/help.ts"

const opened = (query: string): string => {
  const answer = lookUp(query)
  if (answer.kind !== "entry") throw new Error(`${query} opens nothing`)
  return answer.text
}
const matches = (query: string): readonly string[] => {
  const answer = lookUp(query)
  if (answer.kind !== "matches") throw new Error(`${query} opens an entry`)
  return answer.matches.map(({ open }) => open)
}

describe("D2 an exact name opens", () => {
  it.each([
    ["+", "flip"],
    ["+", "plus"],
    ["+:", "flip"],
    ["x+y", "plus"],
    ["x _in y", "_in"],
    ["grade up", "<x"],
    ["_ss", "string search"],
    ["_t", "Seconds"],
    ["_T", "Days"],
    ["/:", "each right"],
    ["each", "f'x"],
    ["\\l", "load a script"],
    ["length error", "item by item"],
    ["type", "type error"],
    ["traps", "newcomers"],
    ["Traps ", "newcomers"],
    ["moving-average", "mavg"],
    ["verbs", "x%y  divide"],
    ["verbs", "x _ y  drop, cut"],
    ["_:", "floor"],
    ["idioms", "moving-average"],
  ])("%s: %s", (query, part) => expect(opened(query)).toContain(part))

  it("both valences of a glyph, and what prints", () => {
    expect(opened("%")).toBe(
      "%x  reciprocal  (atomic)\n1 divided by each number, always float.\n  %4\n    0.25\n  %0\n    0i\n\n" +
        "x%y  divide  (atomic)\nQuotient, always float; a number divided by 0 is 0i or -0i, 0 divided by 0 is 0n.\n" +
        "  5%2\n    2.5\n  4 8%2\n    2 4.0\n  0%0\n    0n",
    )
  })

  it("whatever a list of matches offers to open", () => {
    for (const { form, title } of entries) expect(opened(form), form).toContain(title)
    for (const name of matches("")) expect(opened(name)).not.toBe("")
  })
})

describe("D2 words find what they are about", () => {
  it.each([
    ["moving average", "moving-average", 1],
    ["movng avrage", "moving-average", 2],
    ["split string", "split", 1],
    ["splt a string at commas", "split", 2],
    ["reverse words in a sentence", "reverse-words", 1],
    ["sort by column", "sort-by-columns", 2],
    ["sort descending", "sort", 1],
    ["remove duplicates", "unique", 2],
    ["count how often each item occurs", "frequency", 2],
    ["run length encoding", "run-lengths", 1],
    ["matrix multiplication", "matrix-product", 2],
    ["trim whitespace blanks", "trim", 1],
    ["uppercase", "upper-case", 2],
    ["read a csv file", "read-csv", 1],
    ["try catch", "try", 1],
    ["prime numbers", "primes", 2],
    ["fibonacci", "fibonacci", 1],
    ["fibonaci", "fibonacci", 1],
    ["pivot table", "pivot", 1],
    ["histogram", "histogram", 1],
    ["permutations", "permutations", 1],
    ["random numbers", "random-ints", 3],
    ["date difference", "date-difference", 1],
    ["day of week", "weekday", 2],
    ["linear regression", "least-squares", 1],
    ["string to number", "number-to-string", 2],
    ["sum by group", "sum-by-group", 1],
    ["join strings with comma", "join", 1],
    ["flatten nested list", "flatten", 1],
    ["cartesian product", "cross-product", 1],
    ["standard deviation", "variance", 1],
    ["transpose", "transpose", 1],
    ["modulo", "x!y", 1],
    ["if then else", "condition", 2],
    ["undefined variable", "value", 2],
    ["how many items", "#x", 3],
    ["substring", "x _ss y", 1],
    ["truncate", "_ x", 1],
    ["type of a value", "4:x", 3],
    ["percentile", "percentile", 1],
    ["quantile", "percentile", 2],
    ["median", "median", 1],
    ["join tables", "join-tables", 3],
    ["inner join", "inner-join", 1],
    ["dates from seconds", "date-from-unix", 1],
    ["csv with quotes", "csv-quoted", 2],
    ["correlation", "correlation", 1],
    ["missing values", "drop-nulls", 1],
    ["undo", "server", 1],
    ["snapshot", "server", 1],
    ["background", "server", 1],
    ["crash", "server", 1],
    ["history", "server", 1],
    ["long running evaluation", "server", 2],
    ["raze", "flatten", 1],
    ["coalesce", "replace-nulls", 1],
    ["mmu", "x _mul y", 1],
    ["parse int", "number-to-string", 2],
    ["string length", "#x", 3],
    ["string concat", "x,y", 3],
    ["string concatenation", "x,y", 1],
    ["trim spaces", "trim", 1],
    ["part of a string", "slice", 1],
    ["index of maximum", "argmax", 2],
    ["today", "_t", 1],
    ["simulation", "monte-carlo", 1],
    ["random normal", "random-normal", 1],
    ["unit test", "server", 1],
    ["performance", "\\t expr", 1],
    ["like", "x _sm y", 2],
  ])("%s: %s among the first %d", (query, wanted, most) => {
    const answer = lookUp(query)
    if (answer.kind === "entry") expect(answer.text).toContain(wanted)
    else expect(answer.matches.slice(0, most).map(({ open }) => open)).toContain(wanted)
  })

  it("K finds the idioms that hold it", () => {
    expect(matches("@*>")).toContain("longest")
    expect(matches("-':")).toContain("differences")
    expect(opened("_ssr")).toMatch(/See also: .*\breplace\b/)
  })

  it("K that no idiom holds finds what it is made of", () => {
    expect(matches("@[z;0;:;9]")[0]).toBe("amend")
    expect(matches("x/:\\:y")).toContain("x f/:y")
  })

  it("what is like nothing finds nothing", () => {
    expect(matches("zzqqxxyy")).toEqual([])
  })
})

describe("D2 every answer is bounded", () => {
  it("for any text", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400, unit: "grapheme" }), (query) => {
        const answer = lookUp(query)
        if (answer.kind === "entry") expect(answer.text.length).toBeLessThan(5100)
        else {
          expect(answer.matches.length).toBeLessThan(20)
          for (const { what } of answer.matches) expect(what.length).toBeLessThan(110)
        }
      }),
      { numRuns: 200 },
    )
  })
})

describe("the pages", () => {
  it.each([...topicTitles.keys()])("%s is a page of Markdown", (name) => expect(topicPage(name)).toMatch(/^# .+\n\n/))
  it("there is none of another name", () => expect(topicPage("nosuch")).toBeUndefined())
  it("a glyph, a name, an error and an idiom have one too", () => {
    for (const name of ["+", "_ss", "length", "moving-average", "\\l"]) {
      expect(pageNames()).toContain(name)
      expect(topicPage(name)).toMatch(/^### /)
    }
  })
})

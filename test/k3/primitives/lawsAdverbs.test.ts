/**
 * A verb is the lambda of it, under every adverb, from every seed and on every list; what is done to a vector at once is what is done to its items;
 * what compiled code does with ints in local variables is what the verb does.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { anything, assign, holds, int, ints, number, numbers, printed, sequence, someNumbers } from "./lawsText.ts"

const atomic = [..."+-*%^&|!<>="]
const dyads = [...atomic, ..."~,?@#_.", "_in", "_lin", "_dv", "_dvl", "_div", "_dot", "_bin", "_di"]
const monads = [..."+-*%|&^<>=~?_,#$@", "_abs", "_sqr", "_floor", "_exp", "_ic", "_ci"].map((glyph) =>
  glyph.length === 1 ? `${glyph}:` : glyph,
)
/** Applied with a left count or index that may be large: kept small. */
const counts = new Set(["#", "_"])

const lambda = (verb: string): string => `{x ${verb} y}`
const small = fc.integer({ min: -3, max: 9 }).map((n) => `(${n})`)

describe("a verb is its lambda", () => {
  it.each(dyads)("%s over and scan, with a seed and without", (verb) => {
    const f = lambda(verb)
    // Sums from an int over floats are one vector, as in Kona; the lambda leaves the int where it starts.
    const widen = verb === "+" ? "0.0+" : ""
    // A seed joined over () is a list, as in Kona; the lambda leaves an atom as it is.
    const lists = verb === "," ? sequence.filter((text) => text !== "()") : sequence
    const x = counts.has(verb) ? fc.array(small, { maxLength: 4 }).map((items) => `(,/(${items.join(";")};()))`) : lists
    holds(
      { x, y: counts.has(verb) ? small : anything },
      [`y ${verb}/x`, `y ${f}/x`],
      [`${widen}y ${verb}\\x`, `${widen}y ${f}\\x`],
      [`:[1<#x;${verb}/x;0]`, `:[1<#x;${f}/x;0]`],
      [`:[1<#x;${verb}\\x;0]`, `:[1<#x;${f}\\x;0]`],
      [`:[1=#x;${verb}/x;0]`, `:[1=#x;${f}/x;0]`],
    )
  })
  it.each(dyads)("%s for each pair, each left, each right and each prior", (verb) => {
    const f = lambda(verb)
    const x = counts.has(verb) ? fc.oneof(small, fc.constant("(!0)"), fc.constant("(0 2 3)")) : anything
    holds({ x, y: anything }, [`x ${verb}'y`, `x ${f}'y`], [`x ${verb}/:y`, `x ${f}/:y`], [`x ${verb}\\:y`, `x ${f}\\:y`])
    if (!counts.has(verb)) holds({ x: sequence }, [`${verb}':x`, `${f}':x`])
  })
  it.each(monads)("%s for each item", (verb) =>
    holds({ x: verb === "&:" ? fc.constantFrom("1 0 2", "(1;0 1;2)", "!0") : sequence }, [`${verb}'x`, `{${verb} x}'x`]),
  )
  it("an identity is what a fold of nothing gives, and what does not change another", () =>
    holds({ x: int }, ["+/!0", "0"], ["*/!0", "1"], ["=/!0", "1"], ["x~(+/!0)+x", "1"], ["x~(*/!0)*x", "1"]))
})

describe("a vector at once is its items one by one", () => {
  it.each(atomic)("%s", (verb) => {
    holds({ x: someNumbers, y: number }, [`x${verb}\\:y`, `{x${verb}y}[;y]'x`], [`y${verb}/:x`, `{y${verb}x}[;y]'x`])
    if (verb === "!") holds({ x: someNumbers, y: number }, ["x!y", "x!\\:y"])
    else holds({ x: someNumbers, y: number }, [`x${verb}y`, `x${verb}\\:y`], [`y${verb}x`, `y${verb}/:x`], [`x${verb}|x`, `x${verb}'|x`])
  })
  it.each(["-:", "%:", "~:", "_:", "_abs", "_sqr", "_floor"])("%s", (verb) =>
    holds({ x: someNumbers }, [`${verb.replace(":", "")} x`, `${verb}'x`]),
  )
  it("sums and products of many are those of their halves", () =>
    holds({ x: ints, y: ints }, ["+/x,y", "(+/x)+/y"], ["*/x,y", "(*/x)*/y"], ["+/x*\\:y", ":[0=#x;+/x*\\:y;(+/x)*y]"]))
  it("lanes give what a few ints give", () =>
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -2147483647, max: 2147483647 }), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: -9, max: 9 }),
        (v, n) => {
          assign({ x: v.length === 1 ? `,${v[0]!}` : v.join(" "), y: String(n) })
          // A whole number of copies, long enough for lanes, and one more item than they take at once.
          for (const verb of atomic) {
            expect(printed(`((1001*#x)#x${verb}y)~((1001*#x)#x)${verb}y`)).toBe("1\n")
            if (verb !== "!") expect(printed(`((1001*#x)#x${verb}|x)~((1001*#x)#x)${verb}(1001*#x)#|x`)).toBe("1\n")
          }
          expect(printed("(+/(1001*#x)#x)~1001*+/x")).toBe("1\n")
          expect(printed("((&/x),|/x)~(&/(1001*#x)#x),|/(1001*#x)#x")).toBe("1\n")
        },
      ),
      { numRuns: 40 },
    ))
})

describe("compiled code is the verb", () => {
  it.each([...atomic, "~", "_div"])("%s of ints in local variables, of floats, and of both after one another", (verb) => {
    const f = `{a:x;b:y;c:a ${verb} b;a:c;c ${verb} b}`
    holds(
      { x: number, y: number },
      [`${f}[x;y]`, `(x ${verb} y) ${verb} y`],
      [`{x ${verb} y}[x;y]`, `x ${verb} y`],
      [`{:[x ${verb} y;1;0]}[x;y]`, `:[x ${verb} y;1;0]`],
    )
  })
  it.each([..."+-*&|"])("%s in a loop over ints is a fold", (verb) =>
    holds(
      { x: ints, y: int },
      [`{r:y;i:0;while[i<#x;r:r${verb}x[i];i+:1];r}[x;y]`, `y${verb}/x`],
      [`{[v;r]do[#v;r${verb}:*v;v:1!v];r}[x;y]`, `y${verb}/x`],
    ),
  )
  it("amending one by one is amending at once", () =>
    holds(
      { x: someNumbers, y: number },
      ["{[v;y]i:0;while[i<#v;v[i]+:y;i+:1];v}[x;y]", "@[x;!#x;+;y]"],
      ["@[x;!#x;+;y]", "{x}'x+y"],
      ["@[x;!#x;:;y]", "{y}[;y]'x"],
      ["@[x;(!#x),!#x;-;y]", "{(x-y)-y}[;y]'x"],
      ["@[x;0;:;y][0]", "y"],
    ))
})

it("numbers join, cut and index alike as vectors and as lists of items", () =>
  holds({ x: numbers, y: numbers }, [",/(x;y)", "x,y"], ["#x,y", "(#x)+#y"], ["x,y", ":[(0<#x)&0<#y;((x,y)@!#x),(x,y)@(#x)+!#y;x,y]"]))

/** Facts about a function, found in its text. */
import { describe, expect, it } from "vitest"
import { factsOf } from "../../../src/child/engines/functionText.ts"

const facts = { valence: 1, parameters: ["x"], locals: [], uses: [], assigns: [], touches: [] }

describe("I2 the text of a function", () => {
  it.each([
    ["{x+1}", {}],
    ["{x+z}", { valence: 3, parameters: ["x", "y", "z"] }],
    ["{[a;b]c:a+b;c*h[v;a]}", { valence: 2, parameters: ["a", "b"], locals: ["c"], uses: ["h", "v"] }],
    ["{[]1}", { valence: 0, parameters: [] }],
    ['{x+"h v /y `w"}', {}],
    ["{x+1 /and y\n}", {}],
    ["{`v x}", {}],
    ["{if[x;do[3;while[0;f 1]]]}", { uses: ["f"] }],
    ["{n::x;.k.m:x}", { uses: ["n", ".k.m"], assigns: ["n", ".k.m"] }],
    ["{a[0]+:x;{[q]q+y}[1]}", { uses: ["a"], assigns: ["a"], valence: 2, parameters: ["x", "y"] }],
    ["{a,:x;b[i[0];c[1]]:2;d-:;e:1;e+:1;e[0]:x;x[0]:1}", { locals: ["e"], uses: ["a", "b", "i", "c", "d"], assigns: ["a", "b", "d"] }],
    ["{[v]{x+:1;x*2}'v}", { parameters: ["v"] }],
    ["{x+{y}[1;2]}", {}],
    ["{1+.y}", { valence: 2, parameters: ["x", "y"], uses: [".y"], touches: ["text run as code"] }],
    ["{g:{b:1;b};b+:1;g x}", { locals: ["g"], uses: ["b"], assigns: ["b"] }],
    ["{[a]h:{[f]f 1};f h a}", { parameters: ["a"], locals: ["h"], uses: ["f"] }],
    ["{[a]{x}'a;x,:a}", { parameters: ["a"], uses: ["x"], assigns: ["x"] }],
    ["{a +:x;b[0] :x;c :x}", { locals: ["c"], uses: ["a", "b"], assigns: ["a", "b"] }],
    ["{a..t:x}", { uses: ["a"], assigns: ["a..t"] }],
    ["{t:.+(`a`b;x);d:.,(`a;t);@[.[d;,`a];0;x . y]}", { valence: 2, parameters: ["x", "y"], locals: ["t", "d"] }],
    ["{[v]x+{[r]r}v}", { parameters: ["v"], uses: ["x"] }],
    ["{x _draw 5}", { touches: ["randomness"] }],
    ["{_t}", { valence: 0, parameters: [], touches: ["time"] }],
    ["{0:x}", { touches: ["file read"] }],
    ["{1+6:x}", { touches: ["file read"] }],
    ["{x 0:y}", { valence: 2, parameters: ["x", "y"], touches: ["file write"] }],
    ['{"f" 1:x;2:"f"}', { touches: ["file read", "file write"] }],
    ['{("IF";,",")0:x}', { touches: ["file read"] }],
    ["{(x;y)0:z}", { valence: 3, parameters: ["x", "y", "z"], touches: ["file read", "file write"] }],
    ["{0:[x;y]}", { valence: 2, parameters: ["x", "y"], touches: ["file read", "file write"] }],
    ["{a:x\n1:a}", { locals: ["a"], touches: ["file read"] }],
    ["{x0:x;x4:x0;x5:x4;x3:x5}", { locals: ["x0", "x4", "x5", "x3"] }],
    ["{`0:x}", {}],
    ["{x 5:y}", { valence: 2, parameters: ["x", "y"], touches: ["file write"] }],
    ["{(5:x;4:x)}", {}],
    ["{`4:x}", { touches: ["shell"] }],
    ["{x 4:y}", { valence: 2, parameters: ["x", "y"], touches: ["network"] }],
  ])("%s", (text, expected) => {
    expect(factsOf(text)).toEqual({ ...facts, ...expected })
  })

  it.each(["{[s]. s}", '{. ,/"a::",x}', "{1,.x}", "{r:1+. x;r}", "{f:.:;f x}", '{._ssr["a::1";"1";x]}', "{@[.;x;:]}"])(
    "%s may run text as code",
    (text) => expect(factsOf(text).touches).toEqual(["text run as code"]),
  )

  // The text in quotes is blanks to the search. With work of the square of its length this would take minutes.
  it("the facts of a function with a long text are found in time", () =>
    expect(factsOf(`{"${"a".repeat(400_000)}" 0:x}`)).toEqual({ ...facts, touches: ["file write"] }))

  it.each(["{[", "a[", "{[a;", "if["])("%j, 200,000 times without its end, takes no work of the square of its length", (part) =>
    expect(factsOf(`{${part.repeat(200_000)}`).touches).toEqual([]),
  )
})

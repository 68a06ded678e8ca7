/** P4 Pictures: pixels that show the data, the same every time, small; P5 specs of the caller's. */
import { describe, expect, it } from "vitest"
import { mostBytes } from "../../src/plot/Picture.ts"
import { specProblem } from "../../src/plot/specProblem.ts"
import { decode, plot, refusal } from "./pictures.ts"

const BLUE = "4c78a8"

/** A picture whose pixels no test looks at has few of them. */
const small: typeof plot = (code, request) => plot(code, { width: 160, height: 100, ...request })

describe("P4 pictures", () => {
  it("a bar chart has bars as high as its numbers", async () => {
    const { png, mark } = await plot(".+(`a`b`c;1 2 4)")
    const pixels = decode(png)
    expect([mark, pixels.width, pixels.height, pixels.indexed]).toEqual(["bar", 800, 500, true])
    const heights = [0.2, 0.5, 0.85].map((share) => {
      let high = 0
      for (let y = 0; y < pixels.height; y++) if (pixels.at(Math.round(50 + share * 740), y) === BLUE) high++
      return high
    })
    expect(heights[0]).toBeGreaterThan(60)
    expect(heights[1]! / heights[0]!).toBeCloseTo(2, 1)
    expect(heights[2]! / heights[0]!).toBeCloseTo(4, 1)
  })

  it("a heatmap is one image, its cells in their places, the first row above", async () => {
    const { png, svg, drawn } = await plot("(0 1;2 3;4 9)")
    expect(new TextDecoder().decode(svg).match(/<image/g)).toHaveLength(1)
    expect(drawn).toBe(6)
    const pixels = decode(png)
    // Viridis begins dark blue and ends yellow.
    expect(pixels.at(120, 60)).toBe("440154")
    expect(pixels.at(600, 420)).toBe("fde725")
  })

  it("a heatmap leaves infinite cells white, and takes numbers of any size", async () => {
    const { png, summary } = await plot("(0I 1 0N;2 3 4;5 6 9)")
    const pixels = decode(png)
    expect([pixels.at(100, 60), pixels.at(650, 60), pixels.at(600, 420)]).toEqual(["ffffff", "ffffff", "fde725"])
    expect(summary.join(" ")).toContain("1 infinite, which is not drawn")
  })

  it("numbers near the greatest or the least there are have axes, marks and figures in a unit that is told", async () => {
    const wide = await plot("(-1e308 0 0;0 0 0;0 0 1e308)")
    expect([decode(wide.png).at(100, 60), decode(wide.png).at(600, 420)]).toEqual(["440154", "fde725"])
    expect(wide.summary.join(" ")).toContain("value%1e308: least -1 at row 0")
    const many = await plot("4.9e-324 2e-323 1.5e-322", { mark: "histogram" })
    expect(decode(many.png).count(BLUE)).toBeGreaterThan(100)
    expect(many.summary.join(" ")).toContain("3 of 3 rows are counted")
    for (const mark of ["line", "point", "bar"] as const)
      for (const [code, unit, label, figures] of [
        ["1e308*-1.5+3*(!100)%99", "1e308", ">1.5<", "least -1.5 at index 0, greatest 1.5 at index 99"],
        ["1e-320*!9", "1e-320", ">8<", "greatest 7.999"],
        ["1e-20*!9", "1e-20", ">8<", "greatest 8 at index 8"],
        ["1e20*!9", "1e20", ">8<", "greatest 8 at index 8"],
      ] as const) {
        const { png, svg, summary } = await plot(code, { mark, x: "index" })
        if (mark !== "point") expect(decode(png).count(BLUE), `${mark} ${code}`).toBeGreaterThan(100)
        expect(new TextDecoder().decode(svg)).toContain(`>value%${unit}<`)
        expect(new TextDecoder().decode(svg)).toContain(label)
        expect(summary.join(" ")).toContain(figures)
        expect(summary.join(" ")).toContain("a clear trend")
      }
    const { svg } = await plot(".+(`a`b;(1e308 -1e308;1.0 2))", { mark: "line", x: "index" })
    expect(new TextDecoder().decode(svg)).toMatch(/>a%1e308<[^]*>b%1e308</)
  })

  it("figures of a line are in its own unit, which its name tells", async () => {
    const { summary } = await small(".+(`t`a`b;(1 2 3 4;1e200 2e200 3e200 2e200;1.0 5 2 3))", { mark: "line" })
    expect(summary.join(" ")).toContain("a%1e200: least 1 at t 1, greatest 3 at t 3")
    expect(summary.join(" ")).toContain("b: least 1 at t 1, greatest 5 at t 2; mean 2.75, standard deviation 1.47902; no value beyond")
    const groups = await small(".+(`t`v`g;(1 2 1 2;1e20 2e20 5 7.0;`a`a`b`b))", { mark: "line", color: "g" })
    expect(groups.summary.join(" ")).toMatch(/a%1e20: least 1 at t 1, .* b: least 5 at t 1, greatest 7/)
  })

  it("great numbers that are categories stay apart", async () => {
    const rows = ".+(`id`v`w;(1700000000000001.0 1700000000000002.0 1700000000000002.0;1 2 3;4 5 6))"
    const bars = await small(rows, { mark: "bar", x: "id", color: "v" })
    expect(bars.summary.join(" ")).toContain("greatest sum of w 1700000000000002 11, 1700000000000001 4")
    const stacks = await small(rows, { mark: "bar", x: "v", color: "id" })
    expect(new TextDecoder().decode(stacks.svg)).toContain(">1700000000000002<")
    const lines = await small(rows, { mark: "line", x: "v", y: "w", color: "id" })
    expect(lines.summary.join(" ")).toMatch(/1700000000000001: least .* 1700000000000002: least/)
  })

  it("whole numbers have no labels between them", async () => {
    for (const [code, request] of [
      ["1.5 2 3.5", {}],
      ["(,1;,2;,3)", {}],
      ["(1 2 3;4 5 6.5)", { mark: "heatmap" as const }],
    ] as const) {
      const { svg } = await plot(code, request)
      const [across = ""] = new TextDecoder().decode(svg).match(/role-axis-label"[^]*?<\/g>/) ?? []
      expect(across).toMatch(/>0<|>1</)
      expect(across).not.toMatch(/>−?\d+\.\d+</)
    }
  })

  it("P5 a name of a column is a text in every mark, whatever it looks like", async () => {
    for (const name of ["a\\nb", 'a\\"b', 'a\\\\\\"+warn(1)+\\"', "a\\000b", "datum.x"])
      for (const mark of ["line", "point", "bar", "histogram", "heatmap"] as const)
        expect((await small(`(\`"${name}"\`c;(1 2;3 4))`, { mark })).mark).toBe(mark)
  })

  it("a title or name that is longer than the picture leaves the picture as it is, and no sentence is longer than 1,000 letters", async () => {
    const long = "x".repeat(5000)
    const pixels = decode((await plot("!9", { mark: "bar", title: long })).png)
    expect([pixels.width, pixels.count(BLUE) > 200]).toEqual([800, true])
    const { png, summary } = await plot(`(\`${long}\`c;(!9;!9))`, { mark: "bar", x: long })
    expect(decode(png).count(BLUE)).toBeGreaterThan(200)
    expect(Math.max(...summary.map(({ length }) => length))).toBe(1000)
    const { summary: ofLabel } = await plot(`(,"${long}";,3)`)
    expect(ofLabel.join("\n")).toMatch(/1 category; greatest y x{59}… 3\./)
    expect((await refusal(() => plot("!9", { x: long }))).length).toBeLessThan(1200)
  })

  it("a time that is in no calendar is missing", async () => {
    const { summary } = await small(".((`a;0 1e9 0i 2);(`b;1 5 9 2))", { x: "a:T", mark: "point" })
    expect(summary.join(" ")).toContain("a: from 2035-01-01 to 2035-01-03; 2 missing.")
    expect(summary.join(" ")).toContain("greatest 9 at a missing")
    expect(await refusal(() => plot(".((`a;1e9 2e9);(`b;1 2))", { x: "a:T" }))).toMatch(/none of its values is a number/)
  })

  it("a text with control characters, or marks that turn its direction, is drawn, and they are told", async () => {
    for (const [code, request] of [
      ["_ci 1 2 3 65", {}],
      ['("a\\001b";"c\\000")', {}],
      ["!5", { title: "a\0b\uffff" }],
      ["!5", { title: "a\u202eb" }],
    ] as const)
      expect((await small(code, request)).summary.join(" ")).toContain(
        "Drawn as boxes, for the font has Latin, Greek and Cyrillic letters alone: \ufffd.",
      )
  })

  it("P5 a name of K is a text, whatever it looks like", async () => {
    const names = ['"];i=1;["', "${j=1}", "datum.value"]
    const symbols = names.map((name) => `\`"${name.replaceAll('"', '\\"')}"`).join(";")
    const { svg } = await plot(`(,/3#,(${symbols});9#!3)`, { mark: "heatmap" })
    expect(new TextDecoder().decode(svg)).toMatch(/&quot;\];i=1;\[&quot;|"\];i=1;\["/)
    expect("i" in globalThis || "j" in globalThis).toBe(false)
  })

  it("a line has its extremes, however many points there are", async () => {
    const { rows, drawn, summary } = await plot("@[1000000#0.0;654321;:;5.0]", { height: 100 })
    expect([rows, drawn < 4000]).toEqual([1_000_000, true])
    expect(summary.join(" ")).toContain("greatest 5 at index 654321")
  })

  it("a scatter beyond 20,000 points is a density", async () => {
    const { svg, summary } = await plot("(20001 _draw 0;20001 _draw 0)", { mark: "point" })
    expect(new TextDecoder().decode(svg).match(/<image/g)).toHaveLength(1)
    expect(summary[1]).toContain("density")
    const few = await plot("(20000 _draw 0;20000 _draw 0)", { mark: "point" })
    expect(few.summary[1]).toBe("All 20,000 points are drawn.")
    for (const mark of ["line", "point"]) {
      const gaps = await small("1 0N 3 0n 0i", { mark } as never)
      expect([gaps.rows, gaps.drawn, gaps.summary[1]]).toEqual([5, 2, "2 of 5 points are drawn: the others are missing or infinite."])
    }
    expect(few.png.length).toBeLessThanOrEqual(mostBytes)
  })

  it("values without a number are refused in words, whatever the mark; beside numbers they are left out", async () => {
    const none = /: none of its values is a number/
    for (const mark of ["line", "point", "bar", "histogram"] as const) expect(await refusal(() => plot("5#0n", { mark }))).toMatch(none)
    expect(await refusal(() => plot("2 3#0n"))).toMatch(none)
    expect(await refusal(() => plot(".+(`a`b;(1 2 3;3#0n))", { mark: "line" }))).toMatch(/b: none of its values is a number/)
    const { svg } = await small(".+(`a`b`c;(1 2 3;4 5 6;3#0n))", { mark: "line" })
    expect(new TextDecoder().decode(svg)).toContain("<path")
  })

  it("Vega's own warnings end no picture", async () => {
    const encoding = { x: { field: "index", type: "quantitative" }, y: { field: "value", type: "quantitative" } }
    const { summary } = await small("5#0n", { spec: { mark: "line", encoding } })
    expect(summary.join(" ")).toContain("none of 5 values is a number")
  })

  it("letters that the font lacks are told; those of Latin Extended, Greek and Cyrillic are drawn, each as it is", async () => {
    const { summary } = await small('.((`n;("日本";"Ωmega";"a"));(`v;3 1 2))', { mark: "bar" })
    expect(summary.filter((each) => each.startsWith("Drawn as boxes"))).toEqual([
      "Drawn as boxes, for the font has Latin, Greek and Cyrillic letters alone: 日 本.",
    ])
    const drawn = await Promise.all(["Ł", "ő", "Ω", "ὦ", "Ж", "ҳ", "ệ"].map((title) => small("1 2 3", { title })))
    expect(new Set(drawn.map(({ png }) => png.join())).size).toBe(drawn.length)
    expect(drawn.flatMap((each) => each.summary).join()).not.toContain("boxes")
    expect((await small("-1 -2 -3")).summary.join()).not.toContain("boxes")
  })

  it("the same data gives the same bytes, letters beyond ASCII among them", async () => {
    const once = await plot("x*x:!100", { title: "Größe − x²" })
    const again = await plot("x*x:!100", { title: "Größe − x²" })
    expect(again.png).toEqual(once.png)
    expect(again.svg).toEqual(once.svg)
    // Without the font there would be no text: the title's band is not all white.
    const { at } = decode(once.png)
    const band = Array.from({ length: 200 }, (_, x) => Array.from({ length: 20 }, (_, y) => at(300 + x, 8 + y))).flat()
    expect(band.filter((colour) => colour !== "ffffff").length).toBeGreaterThan(100)
  })

  it.each([
    ["(300 400)#120000 _draw 0", {}],
    ["(10000 _draw 0;10000 _draw 0;10000 _draw 0;10000 _draw 5)", { mark: "point" as const }],
    [".+(`x`y`c;(5000 _draw 0;5000 _draw 0;5000 _draw 0))", { mark: "point" as const, color: "c" }],
    ["10000 _draw 0", { width: 2000, height: 2000 }],
  ])("%s stays below 150 kB", async (code, request) => {
    expect((await plot(code, request)).png.length).toBeLessThanOrEqual(mostBytes)
  })

  it("each mark draws, by name and by default", async () => {
    const marks = async (code: string, request = {}) => (await small(code, request)).mark
    const table = ".+(`day`price`shop;(20240101+!30;30 _draw 0;30#`a`b`c))"
    expect(await marks("10 _draw 0")).toBe("line")
    expect(await marks("(3 1 2;4 5 6)")).toBe("point")
    expect(await marks("`a`b`a")).toBe("bar")
    expect(await marks("(3 4)#!12")).toBe("heatmap")
    expect(await marks("(3 4)#!12", { mark: "line" })).toBe("line")
    expect(await marks(".+(`a`b;(1 2 3;!5))")).toBe("line")
    for (const mark of ["line", "point", "bar"] as const)
      expect(await marks(table, { mark, x: "day", y: "price", color: "shop" })).toBe(mark)
    expect(await marks(table, { mark: "heatmap", x: "shop", y: "price" })).toBe("heatmap")
    expect(await marks(table, { mark: "histogram", x: "price" })).toBe("histogram")
    expect(await marks(table, { x: "day:N", y: "price" })).toBe("bar")
  })

  it("times of K are times: seconds and days since 2035 with :T", async () => {
    const { summary } = await small(".+(`t`v;(86400*!5;!5))", { x: "t:T" })
    expect(summary.join(" ")).toContain("greatest 4 at t 2035-01-05")
    expect((await small(".+(`t`v;(0.5*!5;!5))", { x: "t:T" })).summary.join(" ")).toContain("greatest 4 at t 2035-01-03")
  })

  it("an argument that names no column, or too many colours, is told with what to do", async () => {
    expect(await refusal(() => plot("(1 2;3 4)", { x: "q" }))).toMatch(/^x: there is no column "q"; the value has x, y \|/)
    expect(await refusal(() => plot(".+(`a`b`c;(!90;!90;!90))", { mark: "line", y: "b", color: "c" }))).toMatch(
      /color: c has 90 values; .* at most 20/,
    )
    expect(await refusal(() => plot("`a`b", { mark: "histogram" }))).toMatch(/bins \| .*bar/)
  })
})

const points = { mark: "point", encoding: { x: { field: "x" }, y: { field: "y" } } }

describe("P5 a spec of the caller's", () => {
  it("is drawn with the columns of K, their types filled in", async () => {
    const { mark, drawn, svg } = await small("(1 2 3;4 5 6)", { spec: points })
    expect([mark, drawn]).toEqual(["point", 3])
    expect(new TextDecoder().decode(svg)).toContain("mark-symbol")
  })

  it("is reduced after its transforms, which see every row", async () => {
    const spec = {
      transform: [{ filter: "datum.value > 20" }, { calculate: "datum.value * 2", as: "twice" }],
      mark: "line",
      encoding: { x: { field: "index", type: "quantitative" }, y: { field: "twice", type: "quantitative" } },
    }
    const { rows, drawn, summary } = await plot("!30000", { spec, height: 100 })
    expect(rows).toBe(30_000)
    expect(drawn).toBeLessThanOrEqual(3200)
    expect(summary).toContain("29,979 rows are left of 30,000 after its transforms.")
    const mean = { mark: "bar", encoding: { x: { field: "x", type: "ordinal" }, y: { aggregate: "mean", field: "y" } } }
    expect((await plot("(30000#!3;!30000)", { spec: mean, height: 100 })).summary).toContain("All 30,000 rows go into its aggregates.")
  })

  it("tells the figures of the columns that it names, or of all when it names none", async () => {
    const code = ".+(`id`k`v;(!3;`a`b`a;4 5 6))"
    const bars = { mark: "bar", encoding: { x: { field: "k" }, y: { aggregate: "sum", field: "v" } } }
    const { summary } = await small(code, { spec: bars })
    expect(summary.map((line) => line.split(":")[0])).toEqual([
      "Bar of a dictionary of 3 columns.",
      "All 3 rows go into its aggregates.",
      "k",
      "v",
    ])
    const filtered = { ...bars, transform: [{ filter: "datum.id > 0" }] }
    expect((await small(code, { spec: filtered })).summary.join("\n")).toMatch(/^id: /m)
    const texts = { mark: "rule", encoding: { y: { datum: 5 } } }
    expect((await small(code, { spec: texts })).summary.join("\n")).toMatch(/^id: [\s\S]*^k: [\s\S]*^v: /m)
  })

  it.each<[object, readonly string[]]>([
    [{ calculate: "datum.p2 * 2", as: "z" }, ["p2"]],
    [{ calculate: 'datum["a b"] * 2', as: "z" }, ["a b"]],
    [{ calculate: "datum['a b'] * datum.x", as: "z" }, ["x", "a b"]],
  ])("tells no column whose name is a channel's, or part of another's: %j", async (transform, names) => {
    const code = '.+(`x`p`p2`"a b";(1 2 3;4 5 6;7 8 9;2 3 4))'
    const spec = { transform: [transform], mark: "point", encoding: { x: { field: "z", type: "quantitative" } } }
    const { summary } = await small(code, { spec })
    expect(summary.slice(3).map((line) => line.split(":")[0])).toEqual(names)
  })

  it("with a transform over more rows than are carried is refused with the K that does it", async () => {
    const spec = { ...points, transform: [{ filter: "datum.x > 0.5" }] }
    expect(await refusal(() => plot("(100001 _draw 0;100001 _draw 0)", { spec }))).toMatch(
      /filter.*100,001 rows, and 100,000.*Do it in K.*x@&x>0/,
    )
    const bins = { mark: "bar", encoding: { x: { bin: true, field: "value" }, y: { aggregate: "count" } } }
    expect(await refusal(() => plot("100001 _draw 0", { spec: bins }))).toMatch(/bin, aggregate/)
  })

  it("of several views is reduced view by view; a number of its own is drawn once", async () => {
    const x = { field: "x", type: "quantitative" }
    const line = (y: string) => ({ mark: "line", encoding: { x, y: { field: y, type: "quantitative" } } })
    const code = ".+(`x`a`b;(!100000;@[100000 _draw 0;777;:;99.5];@[100000 _draw 0;5;:;-99.5]))"
    const rule = { mark: "rule", encoding: { y: { datum: 50 } } }
    const layered = await plot(code, { spec: { layer: [line("a"), line("b"), rule] }, height: 100 })
    expect(layered.summary.join(" ")).toMatch(/^Layer|rows are drawn, all views together/)
    expect(layered.drawn).toBeLessThan(7000)
    const beside = await plot(code, { spec: { hconcat: [line("a"), line("b")] } })
    expect(beside.drawn).toBeLessThan(7000)
    // The extremes of each view are within its axis.
    expect(new TextDecoder().decode(beside.svg)).toMatch(/>100<[\s\S]*>−100</)
    const shared = { encoding: { x }, layer: [{ mark: "line", encoding: { y: { field: "a", type: "quantitative" } } }] }
    expect((await plot(code, { spec: shared, height: 100 })).drawn).toBeLessThan(4000)
    const mixed = { layer: [line("a"), { ...line("b"), mark: "point" }] }
    expect(await refusal(() => plot(code, { spec: mixed }))).toMatch(/draws 100,000 marks/)
  })

  it("with a line in each small view keeps the extremes of each, and is refused where it has more lines than that", async () => {
    // The spike of q is no extreme of both together.
    const code = ".+(`x`y`g;(_.5*!60000;@[(60000#-100 0)+60000 _draw 0;40000 40001;:;-50 50.];60000#`p`q))"
    const [x, y, row] = [
      { field: "x", type: "quantitative" },
      { field: "y", type: "quantitative" },
      { field: "g", type: "nominal" },
    ]
    const apart = { resolve: { scale: { y: "independent" } } }
    const lines = async (spike: string) => {
      const { svg, summary } = await plot(code.replace("50.", spike), { spec: { mark: "line", encoding: { x, y, row }, ...apart } })
      expect(summary.join(" ")).toContain("of 60,000 rows are drawn")
      return new TextDecoder().decode(svg)
    }
    expect(await lines("50.")).toContain(">50<")
    expect(await lines("0.5")).not.toContain(">50<")
    const twice = { mark: "line", encoding: { x, y, row, color: row } }
    expect(await refusal(() => plot(code, { spec: twice }))).toMatch(/draws 60,000 marks/)
  })

  it("that would draw too many marks one by one is refused", async () => {
    expect(await refusal(() => plot("(30000 _draw 0;30000 _draw 0)", { spec: points }))).toMatch(/draws 30,000 marks.*density/)
  })

  it.each([
    [{ ...points, encoding: { ...points.encoding, x: { field: "q" } } }, /spec\.encoding\.x\.field: there is no column "q"/],
    [{ layer: [points, { mark: "rule", encoding: { y: { field: "mu" } } }] }, /spec\.layer\[1\]\.encoding\.y\.field/],
    [{ ...points, transform: [{ calculate: "datum.x +", as: "z" }] }, /Vega/],
    [{ ...points, transform: [{ filter: "nosuch(datum.x)" }] }, /nosuch/],
    [{ ...points, encoding: { x: { field: "x", axis: { format: "banana" } } } }, /Vega cannot draw the spec: .*invalid format: banana \|/],
    [{ ...points, encoding: { x: { field: "x", type: "banana" } } }, /Invalid field type "undefined" \|/],
  ])("%j is refused in words", async (spec, expected) => {
    expect(await refusal(() => plot("(1 2 3;4 5 6)", { spec }))).toMatch(expected)
  })

  it.each([
    [{ data: { url: "http://example.com/a.csv" }, ...points }, /^spec\.data\.url: a spec loads nothing/],
    [{ data: { values: [{ x: 1 }] }, ...points }, /^spec\.data: the data is the value of code/],
    [{ layer: [{ data: { url: "a.json" }, ...points }] }, /^spec\.layer\[0\]\.data\.url/],
    [{ mark: { type: "image", url: "file:///etc/passwd" } }, /^spec\.mark\.url/],
    [{ mark: "image", encoding: { url: { field: "x" } } }, /^spec\.mark: it is no mark/],
    [{ mark: "point", encoding: { url: { field: "x" } } }, /^spec\.encoding\.url/],
    [{ ...points, transform: [{ lookup: "x", from: { data: { url: "b" }, key: "k" } }] }, /^spec\.transform\[0\]\.from\.data\.url/],
    [{ mark: { type: "point", href: "javascript:alert(1)" } }, /^spec\.mark\.href/],
    [{ layer: [{ mark: { type: "blob" } }] }, /^spec\.layer\[0\]\.mark: it is no mark; there are arc,/],
    [{ marks: [] }, /Give Vega-Lite/],
    [{ mark: "point", encoding: 5 }, /^spec\.encoding: it is no JSON object of channels/],
    [{ layer: [{ mark: "point", encoding: [] }] }, /^spec\.layer\[0\]\.encoding: it is no JSON object/],
    [{ layer: [] }, /^spec\.layer: it holds no view/],
    [{ hconcat: [{ vconcat: [] }] }, /^spec\.hconcat\[0\]\.vconcat: it holds no view/],
    [{ ...points, width: 1e9 }, /^spec\.width: it is more than a picture has pixels\. Give at most 2000$/],
    [{ hconcat: [{ ...points, height: { step: 2001 } }] }, /^spec\.hconcat\[0\]\.height: /],
    [{ ...points, config: { view: { continuousWidth: 1e9 } } }, /^spec\.config\.view\.continuousWidth: /],
    [{ mark: "point", encoding: { x: { field: "x", axis: { tickCount: 1e9 } } } }, /^spec\.encoding\.x\.axis\.tickCount: /],
    [{ ...points, transform: [{ density: "x", steps: 1e9 }] }, /^spec\.transform\[0\]\.steps: /],
    [{}, /^spec\.mark: missing/],
    [{ mark: "line" }, /^spec\.encoding: missing\. Give it channels, such as x and y/],
    [{ layer: [{ mark: { type: "boxplot" } }] }, /^spec\.layer\[0\]\.encoding: missing/],
    [{ hconcat: [{ mark: "rule" }] }, /^spec\.hconcat\[0\]\.encoding: missing/],
    [[], /no JSON object/],
  ])("%j is refused before K runs", (spec, expected) => {
    expect(specProblem(spec)).toMatch(expected)
  })

  it("of more views than a picture shows is refused", async () => {
    const x = { field: "index" }
    const each = (facet: object) => ({ facet, spec: { mark: "point", encoding: { x, y: { field: "value" } } } })
    const refused = /^the spec has (?:441|10,000) views; at most 400 are drawn \| Facet by a field with fewer values/
    for (const spec of [
      each({ ...x, type: "nominal" }),
      { hconcat: [{ mark: "point", encoding: { x, row: { field: "value" }, column: { field: "value" } } }] },
      { repeat: { row: Array(21).fill("index"), column: Array(21).fill("value") }, spec: points },
    ])
      expect(await refusal(() => plot("(!10000)!21", { spec }))).toMatch(refused)
    for (const spec of [
      each({ ...x, bin: { maxbins: 3 } }),
      { ...each({ ...x, type: "nominal" }), transform: [{ filter: "datum.index < 3" }] },
    ])
      expect((await small("!500", { spec })).rows).toBe(500)
  })

  it("a plain one has no problem", () => {
    expect(specProblem({ $schema: "https://vega.github.io/schema/vega-lite/v6.json", data: { name: "k" }, ...points })).toBeUndefined()
    const sorted = { field: "x", type: "nominal", sort: { encoding: "y", order: "descending" } }
    expect(specProblem({ mark: "bar", encoding: { x: sorted, y: { field: "y" } } })).toBeUndefined()
    const wide = { field: "x", type: "quantitative", bin: { steps: [5000] } }
    expect(specProblem({ mark: "bar", encoding: { x: wide, y: { aggregate: "count" } } })).toBeUndefined()
    const own = { data: { values: [{ mark: 1, encoding: 2 }] }, mark: "rule", encoding: { y: { field: "mark" } } }
    expect(specProblem({ layer: [points, own] })).toBeUndefined()
    expect(specProblem({ encoding: points.encoding, layer: [{ layer: [{ mark: "line" }] }] })).toBeUndefined()
    expect(specProblem({ mark: { type: "text", text: "a note" } })).toBeUndefined()
  })
})

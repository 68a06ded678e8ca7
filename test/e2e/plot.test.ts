/** P1 to P6 `k_plot` on the built server: picture and summary on both engines, limits of time and memory, the cost without a plot. */
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { isAlive } from "../lib/processes.ts"
import { decode } from "../plot/pictures.ts"
import { begin, engines, k3csharpBuild, type RawServer } from "./server.ts"
import { sharedServer } from "./sharedServer.ts"

const began = (server: RawServer) => {
  const plot = async (given: object) => {
    const { content, structuredContent, isError } = await server.call("k_plot", given)
    const [text, image, link] = content
    const png: Uint8Array | undefined = image && Buffer.from(image.data, "base64")
    return { text: text.text as string, image, link, png, structured: structuredContent, isError }
  }
  return { server, plot, evaluate: (code: string) => server.call("k_eval", { code }) }
}

const isPainter = (pid: number): boolean => {
  const [program, ...given] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
  return program!.endsWith("node") && given.some((each) => each.endsWith("k3-plot.js"))
}

const isBelow = (pid: number, top: number): boolean =>
  pid === top || (pid > 1 && isBelow(Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]), top))

/** The drawing processes of a server. Other test files draw at the same time. */
const paintersOf = ({ process: { pid: top } }: RawServer): readonly number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && isPainter(pid) && isBelow(pid, top!)
      } catch {
        return false
      }
    })

describe.each(engines)("on %s", (engine, args) => {
  const test = it.skipIf(engine === "k3csharp" && k3csharpBuild === undefined)
  const serverFor = sharedServer(args)

  test("P6 the reply has text, a PNG and a link to the SVG; the fields hold no picture", async () => {
    const server = await serverFor("reply")
    const { plot } = began(server)
    const { text, image, link, png, structured } = await plot({ code: "x:!10\nx*x", title: "squares" })
    expect(text).toMatch(
      /^(?:0 1 2 3 4 5 6 7 8 9\n)?Line of a vector of 10\.\nAll 10 points are drawn\.\nvalue: least 0 at index 0, greatest 81 at index 9; mean 28\.5/,
    )
    expect(image).toMatchObject({ type: "image", mimeType: "image/png" })
    expect(link).toMatchObject({ type: "resource_link", uri: "k3://sessions/reply/plots/1", mimeType: "image/svg+xml" })
    const { width, height, count } = decode(png!)
    expect([width, height, count("4c78a8") > 100]).toEqual([800, 500, true])
    expect(structured).toMatchObject({ ok: true, mark: "line", rows: 10, drawn: 10, width: 800, height: 500, svg: link.uri })
    expect(JSON.stringify(structured)).not.toMatch(/<svg|data:image|iVBOR/)
    // Among the evaluations it has the place of its own, however long its code ran.
    const { resources } = (await server.request("resources/list")).result
    const { entries } = (await server.call("k_history", { action: "list", session: "reply" })).structuredContent
    expect(resources.find(({ uri }: any) => uri === link.uri).annotations.lastModified).toBe(entries.at(-1).at)
    // An assignment is drawn too, and its value is not printed.
    expect((await plot({ code: "y:2*!10" })).text).toMatch(/^Line of a vector of 10\./)
    const read = await server.request("resources/read", { uri: link.uri })
    expect(read.result.contents[0]).toMatchObject({
      uri: link.uri,
      mimeType: "image/svg+xml",
      text: expect.stringMatching(/^<svg .*squares.*<\/svg>$/s),
    })
  })

  test("P6 a picture has the time when its value was there: it comes before evaluations that were asked while it was drawn", async () => {
    const server = await serverFor("times")
    const { plot, evaluate } = began(server)
    const slow = {
      transform: [{ calculate: "length(sequence(0,datum.index))", as: "n" }],
      mark: "bar",
      encoding: { x: { aggregate: "max", field: "n" } },
    }
    const drawn = plot({ code: "!9000", spec: slow, timeout_ms: 60_000 })
    const entries = async (): Promise<readonly any[]> => (await server.call("k_history", { action: "list" })).structuredContent.entries
    await expect.poll(async () => (await entries()).length).toBe(1)
    await evaluate("asked:1")
    const { link } = await drawn
    const { resources } = (await server.request("resources/list", {})).result
    const at = resources.find(({ uri }: any) => uri === link.uri).annotations.lastModified
    const [asked, plotted] = (await entries()).toSorted((a, b) => b.n - a.n)
    expect([plotted.at <= at, at <= asked.at]).toEqual([true, true])
  })

  test("P1 values are transferred exactly: symbols, letters, nulls, a million numbers", async () => {
    const { plot } = began(await serverFor("exact"))
    expect((await plot({ code: ".((`a;(`p;`q;`p));(`b;(1.5;0n;3.5)))" })).text).toContain("1 missing (the first at a q)")
    expect((await plot({ code: '("Größe";"b";"b")' })).text).toContain("b 2, Größe 1")
    const many = await plot({ code: "0.5+!1000000", mark: "histogram", timeout_ms: 110_000 })
    expect(many.text).toMatch(/1,000,000 of 1,000,000 rows are counted[^]*least 0\.5 in row 0, greatest 1000000 in row 999999; mean 500000/)
  }, 120_000)

  test("P6 a defined tool draws a value that describes a picture", async () => {
    const server = await serverFor("tool")
    const code = '{[n] .((`plot;n#3 1 2);(`mark;`bar);(`title;"Three"))}'
    await server.call("k_define", { action: "define", name: "bars", description: "Bars", code, parameters: { n: "int" } })
    const { content, structuredContent } = (await server.request("tools/call", { name: "kf_bars", arguments: { n: 3 } })).result
    expect(content[0].text).toMatch(/^Bar of a vector of 3\.\n/)
    expect(decode(Buffer.from(content[1].data, "base64")).count("4c78a8")).toBeGreaterThan(1000)
    expect(structuredContent).toMatchObject({ ok: true, value: { mark: "bar", rows: 3, svg: content[2].uri } })
    const plain = await server.call("k_define", { action: "run", code: "{.((`plot;1 2);(`other;3))}" })
    expect(plain.structuredContent).toMatchObject({ ok: true, value: { plot: [1, 2], other: 3 } })
    const wrong = await server.call("k_define", { action: "run", code: "{.((`plot;1 2);(`mark;`pie))}" })
    expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("there is no mark pie") }] })
  })

  test("P6 an error of K, a missing value and an unknown shape are answered with the next call, and the session goes on", async () => {
    const { plot, evaluate } = began(await serverFor("errors"))
    await evaluate("a:42")
    expect(await plot({ code: "1+`a" })).toMatchObject({
      text: expect.stringContaining("k_plot again"),
      structured: { ok: false, error: {} },
    })
    expect(await plot({ code: "a;" })).toMatchObject({ isError: true, text: expect.stringMatching(/no value to draw|the value is nil/) })
    expect(await plot({ code: "a" })).toMatchObject({ isError: true, text: expect.stringContaining("Give a vector") })
    expect(JSON.stringify(await evaluate("a"))).toContain("42")
  })
})

describe("P6 on the embedded engine", () => {
  const serverFor = sharedServer(["--engine", "embedded"])

  it("10^7 numbers are drawn, and the output does not hold the numbers", async () => {
    const { plot } = began(await serverFor("many"))
    const { text, structured } = await plot({ code: "x:(10000000#0.25);x[7654321]:9.0;x" })
    expect(structured).toMatchObject({ rows: 10_000_000, generation: 1 })
    expect(structured.drawn).toBeLessThanOrEqual(3200)
    expect(text).toContain("greatest 9 at index 7654321")
    expect(text.length).toBeLessThan(1000)
  }, 120_000)

  it("titles and columns may have the names that JavaScript's objects inherit, and its keywords", async () => {
    const { plot } = began(await serverFor("inherited"))
    for (const name of ["constructor", "toString", "if"]) {
      const code = `(\`${name}\`b;(1 2 3;4 5 6))`
      expect(await plot({ code, title: name })).toMatchObject({
        isError: undefined,
        text: expect.stringContaining("All 3 points are drawn"),
      })
      const encoding = {
        x: { field: name, type: "quantitative" },
        y: { field: "b", type: "ordinal" },
        color: { field: name, type: "nominal" },
      }
      expect(await plot({ code, spec: { title: name, mark: "point", encoding } })).toMatchObject({
        isError: undefined,
        image: { type: "image" },
      })
    }
  })

  it("a spec that takes too much time or memory is stopped with a sentence, and the next picture is drawn", async () => {
    const { plot, evaluate } = began(await serverFor("stopped"))
    await evaluate("a:42")
    const endless = {
      mark: "point",
      transform: [
        { calculate: "sequence(0, 3000)", as: "s" },
        { flatten: ["s"] },
        { calculate: "sequence(0, 3000)", as: "t" },
        { flatten: ["t"] },
      ],
      encoding: { x: { field: "s", type: "quantitative" }, y: { field: "t", type: "quantitative" } },
    }
    expect(await plot({ code: "!10000", spec: endless, timeout_ms: 3000 })).toMatchObject({
      isError: true,
      structured: { ok: false, error: { name: expect.stringMatching(/^plot-(?:deadline|memory)$/) } },
    })
    expect(await plot({ code: "!10000", spec: endless })).toMatchObject({
      isError: true,
      structured: { error: { name: expect.stringMatching(/^plot-(?:deadline|memory)$/) } },
      text: expect.stringContaining("the session goes on as it is"),
    })
    expect((await plot({ code: "!10" })).structured).toMatchObject({ ok: true, drawn: 10 })
    expect(JSON.stringify(await evaluate("a"))).toContain("42")
  }, 120_000)

  it("conflicting arguments, and data from a URL, are refused before K runs", async () => {
    const { plot, evaluate } = began(await serverFor("refused"))
    const spec = { mark: "point" }
    expect((await plot({ code: "a:1", spec, mark: "bar" })).text).toContain("mark: spec says it all")
    expect((await plot({ code: "a:1", spec: { ...spec, data: { url: "http://example.com" } } })).text).toContain(
      "spec.data.url: a spec loads nothing",
    )
    expect((await plot({ code: "a:1", width: 5 })).isError).toBe(true)
    expect(JSON.stringify(await evaluate("a"))).toContain("value error")
    expect(
      (await plot({ code: "!5", spec: JSON.stringify({ mark: "point", encoding: { x: { field: "index" }, y: { field: "value" } } }) }))
        .structured.ok,
    ).toBe(true)
  })

  it.skipIf(process.platform !== "linux")("the drawing process is launched while the value is computed", async () => {
    const server = await begin()
    const id = "endless"
    server.send({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "k_plot", arguments: { code: "while[1;]" } } })
    await expect.poll(() => paintersOf(server).length).toBeGreaterThan(0)
    expect(server.messages.some((message) => message.id === id)).toBe(false)
  })

  it.skipIf(process.platform !== "linux")(
    "no drawing process is started before the first plot, and none is left after the server",
    async () => {
      const server = await begin()
      const { plot, evaluate } = began(server)
      await evaluate("1+1")
      expect(paintersOf(server)).toEqual([])
      await plot({ code: "!5" })
      const own = paintersOf(server)
      expect(own.length).toBeGreaterThan(0)
      server.process.stdin!.end()
      await server.ended
      expect(own.filter(isAlive)).toEqual([])
    },
  )
})

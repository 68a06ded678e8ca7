/** Steps and memory of one evaluation, on the built server. */
import { expect, it } from "vitest"
import { evaluate, k3csharpBuild, start } from "./server.ts"

const embedded = ["--engine", "embedded", "--state-dir", "none"]

it("steps count items and calls of the whole evaluation, reproducibly, and the error names the steps used by earlier statements", async () => {
  const server = start(embedded)
  await server.initialize()
  const sum = "+/!1000000"
  expect(await evaluate(server, sum, { steps: 1_000_000 })).toMatchObject({ ok: false, error: { name: "limit" } })
  expect(await evaluate(server, sum, { steps: 10_000_000 })).toMatchObject({ ok: true, output: "1783293664\n" })

  const code = "a:1\nb:+/!600\nc:+/!600"
  const { error } = await evaluate(server, code, { steps: 1500 })
  expect(error.text).toMatch(/all 1500 steps are used up, \d+ of them by the statements before/)
  expect(error.next).toContain("Statements 1 to 2 ran")
  expect((await evaluate(server, code, { steps: 1500 })).error.text).toBe(error.text)
  expect((await evaluate(server, "a,b")).output).toBe("1 179700\n")
  expect(await evaluate(server, code, { steps: 10_000 })).toMatchObject({ ok: true })

  // The least sufficient number of steps is the same each time.
  const isEnough = async (steps: number): Promise<boolean> => (await evaluate(server, "do[50;x:2*3]", { steps })).ok
  let [least, most] = [1, 4096]
  while (least < most) {
    const middle = (least + most) >> 1
    if (await isEnough(middle)) most = middle
    else least = middle + 1
  }
  expect(least).toBeGreaterThan(50)
  expect([await isEnough(least), await isEnough(least - 1), await isEnough(least)]).toEqual([true, false, true])
  expect(await evaluate(server, ".[{do[1000;1]};();:]", { steps: 500 })).toMatchObject({ ok: false, error: { name: "limit" } })
}, 60_000)

it("K3_STEPS is the limit of an evaluation that names none", async () => {
  const server = start(embedded, { K3_STEPS: "100000" })
  await server.initialize()
  expect(await evaluate(server, "+/!1000000")).toMatchObject({ ok: false, error: { name: "limit" } })
  expect(await evaluate(server, "+/!1000000", { steps: 10_000_000 })).toMatchObject({ ok: true })
  expect(await evaluate(server, "+/!1000")).toMatchObject({ ok: true, output: "499500\n" })
})

it("memory_mb is growth since the evaluation began, over all its statements", async () => {
  const server = start(embedded)
  await server.initialize()
  expect(await evaluate(server, "held:!4000000")).toMatchObject({ ok: true })
  const { error } = await evaluate(server, "a:!1000000\nb:!1000000\nc:!1000000\nd:!1000000", { memory_mb: 12 })
  expect(error).toMatchObject({ name: "wsfull", next: expect.stringMatching(/^Statements 1 to [23] ran/) })
  expect(error.text).toContain("where the evaluation may hold 12582912 more than when it began")
  expect(await evaluate(server, "d:!1000000", { memory_mb: 12 })).toMatchObject({ ok: true })
  expect(await evaluate(server, "e:!4000000")).toMatchObject({ ok: true })
})

it.skipIf(k3csharpBuild === undefined)("K3CSharp refuses both limits", async () => {
  const server = start(["--engine", "k3csharp", "--state-dir", "none"])
  await server.initialize()
  for (const limit of [{ steps: 5 }, { memory_mb: 5 }]) {
    const refused = await server.call("k_eval", { code: "1+1", ...limit })
    expect(refused.isError).toBe(true)
    expect(refused.content[0].text).toContain("K3CSharp has limits neither of steps nor of memory")
  }
  expect(await evaluate(server, "1+1")).toMatchObject({ ok: true })
})

/** J9 the page beside an agent that evaluates fifty times a second, in Chromium. */
import { expect, it } from "vitest"
import { connect, told, tokenCommand } from "../e2e/hosted.ts"
import { mostRows } from "../../src/page/transcript.ts"
import { hasChromium, visit } from "./visit.ts"

/** Evaluations a second, for a minute. */
const pace = 50
const all = pace * 60

it.skipIf(!hasChromium)(
  "J9 shows every one of three thousand evaluations once, in order, without growing",
  { timeout: 900_000 },
  async () => {
    const { page, own, problems } = await visit()
    const agent = await connect(own, tokenCommand(own.state, "show").text.trim())
    const numbers = (): Promise<readonly number[]> =>
      page.evaluate(() =>
        [...(globalThis as any).document.querySelectorAll(".row .number")].map((element: any) => Number(element.textContent)),
      )
    /** Bytes of what is reachable, and elements of the document. */
    const size = async (): Promise<{ readonly bytes: number; readonly elements: number }> => {
      const devtools = await page.context().newCDPSession(page)
      await devtools.send("HeapProfiler.collectGarbage")
      const { usedSize } = await devtools.send("Runtime.getHeapUsage")
      await devtools.detach()
      return { bytes: usedSize, elements: Number(await page.evaluate("document.querySelectorAll('*').length")) }
    }
    /** Each begins when it is its time, a few at a time where they take longer than that. */
    const work = async (from: number, to: number): Promise<void> => {
      const began = performance.now()
      let next = from
      const worker = async (): Promise<void> => {
        while (next <= to) {
          const n = next++
          const wait = began + ((n - from) * 1000) / pace - performance.now()
          if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
          await told(agent, "k_eval", { code: `n:${n}\nn*2` })
        }
      }
      await Promise.all([1, 2, 3, 4].map(worker))
    }
    const shows = (n: number) => expect.poll(async () => (await numbers()).at(-1), { timeout: 120_000 }).toBe(n)

    await work(1, all / 3)
    await shows(all / 3)
    const early = await size()
    await work(all / 3 + 1, all)
    await shows(all)
    const late = await size()
    expect(late.elements).toBeLessThan(early.elements + 200)
    expect(late.bytes).toBeLessThan(early.bytes + 8 * 2 ** 20)

    // From the newest to the oldest that is held: no number is missing, none is there twice.
    const oldest = all - mostRows + 1
    const seen: number[] = []
    for (let here = await numbers(); ; here = await numbers()) {
      for (const n of here.toReversed()) if (seen.length === 0 || n < seen.at(-1)!) seen.push(n)
      if (here[0] === oldest) break
      await page.locator(".rows").evaluate((element: any) => (element.scrollTop -= element.clientHeight))
      await expect.poll(async () => (await numbers())[0]).toBeLessThan(here[0]!)
    }
    expect(seen).toEqual(Array.from({ length: seen.length }, (_, n) => all - n))
    expect(seen.length).toBe(mostRows)
    expect(await page.getByRole("button", { name: "Show older entries" }).count()).toBe(1)
    expect(problems).toEqual([])
  },
)

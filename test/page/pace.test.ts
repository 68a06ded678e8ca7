/** J9 the page beside an agent that evaluates fifty times a second, in Chromium: the agent by stdio, as hosts run the server. */
import { expect, it } from "vitest"
import { mostRows } from "../../src/page/transcript.ts"
import { listen } from "../e2e/listening.ts"
import { hasChromium, linkTo, visitor } from "./visit.ts"

/** Evaluations that begin in a second, for a minute. */
const pace = 50
const all = pace * 60
/** Those that may be on their way at once, which on a quiet machine they never are: a slow one takes longer for all. */
const mostAtOnce = 24

it.skipIf(!hasChromium)(
  `J9 shows every one of ${all} evaluations, sent ${pace} a second, once and in order, without growing`,
  { timeout: 900_000 },
  async ({ annotate }) => {
    const { own: agent, state } = await listen()
    const { page, problems } = await visitor()
    await page.goto(linkTo(state))
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
    let took = 0
    /** Each is sent when it is its time, whether those before it are answered or not. */
    const work = async (from: number, to: number): Promise<void> => {
      const began = performance.now()
      const underWay = new Set<Promise<unknown>>()
      for (let n = from; n <= to; n++) {
        const early = began + ((n - from) * 1000) / pace - performance.now()
        if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
        if (underWay.size >= mostAtOnce) await Promise.race(underWay)
        const asked = agent.call("k_eval", { code: `n:${n}\nn*2` })
        underWay.add(asked)
        void asked.then(() => underWay.delete(asked))
      }
      await Promise.all(underWay)
      took += performance.now() - began
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
    await annotate(`${Math.round((1000 * all) / took)} evaluations a second`)
  },
)

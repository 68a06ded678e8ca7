/** The harness of these tests. */
import { expect, it } from "vitest"
import { faultsOf, hasChromium, visit } from "./visit.ts"

it.skipIf(!hasChromium)("Chromium reaches the server, and axe finds what is wrong with a page", async () => {
  const { page, own } = await visit()
  expect(await page.goto(new URL("/healthz", own.url).href).then((reply) => reply?.text())).toBe("ok\n")
  await page.setContent('<html lang="en"><title>K</title><main><h1>K</h1><img src="data:,"></main>')
  expect(await faultsOf(page)).toEqual(["image-alt: img"])
})

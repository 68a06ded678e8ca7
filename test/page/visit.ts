/**
 * The built server with its page, and a person who looks at it in Debian's Chromium. Guarantees: server, browser and folders are gone when
 * the test's scope ends. Tests that use it are skipped by name where `chromium` is not there.
 */
import { spawnSync } from "node:child_process"
import axe from "axe-core"
import { type Browser, type BrowserContextOptions, chromium, type Frame, type Page, type Route } from "playwright-core"
import { afterAll, onTestFinished } from "vitest"
import { host, type Hosted } from "../e2e/hosted.ts"
import { serverFile } from "../e2e/server.ts"

/** Flags of a server. A busy machine may need long to interrupt an evaluation whose variables are to stay. */
export const patient = ["--interrupt-grace", "30s"]

const program = spawnSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).stdout.trim()
export const hasChromium = program !== ""

/** One of each file of tests. */
let browser: Promise<Browser> | undefined
afterAll(async () => (await browser)?.close())

export interface Visit {
  readonly page: Page
  /** The page's errors, and the violations of its policy. */
  readonly problems: readonly string[]
}

/** A browser of its own: no cookie and no history of another one. */
export const visitor = async (options: BrowserContextOptions = {}): Promise<Visit> => {
  browser ??= chromium.launch({ executablePath: program, args: ["--no-sandbox"] })
  const context = await (await browser).newContext(options)
  const page = await context.newPage()
  onTestFinished(async () => {
    // A reply that was held back may still be on its way.
    await page.unrouteAll({ behavior: "ignoreErrors" })
    await context.close()
  })
  const problems: string[] = []
  page.on("pageerror", (error) => void problems.push(String(error)))
  page.on("console", (message) => message.type() === "error" && void problems.push(message.text()))
  return { page, problems }
}

/** The link that `k3-mcp open` prints; `target`: a state folder, or with a token in the environment an address. */
export const linkTo = (target: string, args: readonly string[] = [], environment: NodeJS.ProcessEnv = {}): string =>
  spawnSync(process.execPath, [serverFile, "open", target, "--print", ...args], {
    encoding: "utf8",
    env: { ...process.env, ...environment },
  }).stdout.trim()

/** A server, and its page as the person of this machine sees it; `open`: arguments of `k3-mcp open`. */
export const visit = async (
  args: readonly string[] = [],
  { open = [], ...options }: BrowserContextOptions & { readonly open?: readonly string[] } = {},
): Promise<Visit & { readonly own: Hosted }> => {
  const own = await host(args)
  const visited = await visitor(options)
  await visited.page.goto(linkTo(own.state, open))
  return { ...visited, own }
}

/** Holds back the replies to the page's requests whose body matches, until `release`. `isHeld`: is there one? */
export const hold = async (page: Page, body: RegExp) => {
  let isHeld = false
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  await page.route("**/mcp", async (route) => {
    if (!body.test(route.request().postData() ?? "")) return route.fallback()
    const response = await route.fetch()
    isHeld = true
    await released
    await route.fulfill({ response })
  })
  return { isHeld: () => isHeld, release }
}

/** Refuses the page's requests whose body matches, until `end`. `count`: how many were refused. */
export const refuse = async (page: Page, body: RegExp) => {
  let count = 0
  const answer = async (route: Route): Promise<void> => {
    if (!body.test(route.request().postData() ?? "")) return route.fallback()
    count++
    await route.fulfill({ status: 400, contentType: "application/json", body: "{}" })
  }
  await page.route("**/mcp", answer)
  return { count: () => count, end: () => page.unroute("**/mcp", answer) }
}

/** The faults that axe finds in the shown view: rule and place. */
export const faultsOf = async (page: Page | Frame): Promise<readonly string[]> => {
  // Not by a script element, which the page's policy forbids.
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const { violations } = await (globalThis as any).axe.run()
    return violations.flatMap(({ id, nodes }: any) => nodes.map(({ target }: any) => `${id}: ${target.join(" ")}`))
  })
}

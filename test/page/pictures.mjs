/** Makes docs/pictures: the main views of the page as the built server serves it, in Debian's Chromium. Usage: node test/page/pictures.mjs */
import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { chromium } from "playwright-core"

const program = fileURLToPath(new URL("../../dist/k3-mcp.js", import.meta.url))
const pictures = fileURLToPath(new URL("../../docs/pictures", import.meta.url))
/** Bytes. */
const most = 150_000

const folder = mkdtempSync(join(tmpdir(), "k3-pictures-"))
const state = join(folder, "state")
const own = ["--engine", "embedded", "--listen", "127.0.0.1:0", "--no-stdio", "--state-dir", state]
const server = spawn(process.execPath, [program, ...own], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] })
const url = await new Promise((resolve) => {
  let log = ""
  server.stderr.setEncoding("utf8").on("data", (chunk) => {
    log += chunk
    const found = /listening at (http:\S+\/mcp)/.exec(log)?.[1]
    if (found !== undefined) resolve(found)
  })
})

const linkOf = () => spawnSync(process.execPath, [program, "open", state, "--print"], { encoding: "utf8" }).stdout.trim()

const agent = new Client({ name: "agent", version: "1" })
const token = readFileSync(join(state, "token"), "utf8").trim()
await agent.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }))
const call = (name, args) => agent.callTool({ name, arguments: args })

const furnish = async () => {
  await call("k_eval", { code: "price:100+0.1*+\\-0.5+100000 _draw 0" })
  await call("k_eval", { code: "mean:{(+/x)%#x}\nmean price" })
  await call("k_plot", { code: "price", mark: "line", title: "Price" })
  await call("k_snapshot", { action: "save", name: "loaded" })
  await call("k_eval", { code: "sales:.((`city;`Basel`Bern`Basel`Genf);(`units;12 7 9 3))" })
  await call("k_eval", { code: "mean sales[`city]" })
  await call("k_eval", { code: "mean sales[`units]" })
}

const browser = await chromium.launch({
  executablePath: spawnSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).stdout.trim(),
  args: ["--no-sandbox"],
})
/** A page with all that the agent did. */
const visit = async (options) => {
  const page = await (await browser.newContext(options)).newPage()
  await page.goto(linkOf())
  await page.locator(".row img").waitFor()
  return page
}
const joinIn = async (code) => {
  const page = await visit({})
  await page.locator(".cm-content").fill(code)
  await page.keyboard.press("Control+Enter")
  await page.locator(".row .by-page").waitFor()
  await page.context().close()
}
const shoot = async (name, view, shown, options, prepare = async () => {}) => {
  const page = await visit(options)
  await page.goto(`${new URL("/", url).href}#/main/${view}`)
  await prepare(page)
  await page.locator(shown).first().waitFor()
  const path = join(pictures, `${name}.png`)
  await page.screenshot({ path, animations: "disabled" })
  await page.context().close()
  const { size } = statSync(path)
  if (size > most) throw new Error(`${path} has ${size} bytes, more than ${most}`)
  console.log(`${path} ${size} bytes`)
}

mkdirSync(pictures, { recursive: true })
try {
  await furnish()
  await joinIn("+/sales[`units]")
  const wide = { viewport: { width: 1200, height: 760 } }
  await shoot("transcript", "transcript", ".row img", { ...wide, colorScheme: "light" })
  await shoot("variables", "variables/.k.price", "td", { ...wide, colorScheme: "light" })
  await shoot("history", "history", ".hits li", { ...wide, colorScheme: "dark" })
  const compare = (page) => page.getByRole("button", { name: "Compare with loaded" }).click()
  await shoot("snapshots", "snapshots", ".changes td", { ...wide, colorScheme: "dark" }, compare)
  await shoot("narrow", "transcript", ".row img", { viewport: { width: 390, height: 760 }, colorScheme: "dark" })
} finally {
  await browser.close()
  await agent.close().catch(() => {})
  server.kill("SIGTERM")
  await new Promise((resolve) => server.once("exit", resolve))
  rmSync(folder, { recursive: true, force: true })
}

/** `k3-mcp/k3` in Chromium. One of the tests of installed services: skipped where `chromium` is not there. */
import { spawn, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { scratchFolder } from "../e2e/server.ts"
import { moduleFile, shown } from "./embedding.ts"

const hasChromium = spawnSync("chromium", ["--version"]).status === 0

const page = `<!doctype html><title>K</title><pre></pre><script type="module">
import { makeInterpreter } from "/k3.mjs"
const k = makeInterpreter({ timeout: 10_000 })
const all = ${JSON.stringify(shown)}.map(([code]) => { const { output, error } = k.evaluate(code); return error ? error.text : output })
all.push(k.evaluate("f:{f x}\\nf 1").error.name, makeInterpreter({ timeout: 50 }).evaluate("while[1;x:1]").error.name)
document.querySelector("pre").textContent = encodeURIComponent(JSON.stringify(all))
</script>`

it.skipIf(!hasChromium)("E1 the interpreter as a module runs in Chromium", async () => {
  const server = createServer(({ url }, reply) => {
    const isModule = url === "/k3.mjs"
    reply.setHeader("content-type", isModule ? "text/javascript" : "text/html").end(isModule ? readFileSync(moduleFile) : page)
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const options = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${scratchFolder()}`, "--dump-dom"]
  const browser = spawn("chromium", [...options, `http://127.0.0.1:${port}/`], { stdio: ["ignore", "pipe", "ignore"] })
  let document = ""
  browser.stdout.setEncoding("utf8").on("data", (chunk: string) => (document += chunk))
  await new Promise((resolve) => browser.once("close", resolve))
  const printed = /<pre>([^<]*)<\/pre>/.exec(document)?.[1] ?? ""
  expect(JSON.parse(decodeURIComponent(printed))).toEqual([...shown.map(([, prints]) => prints), "stack", "break"])
})

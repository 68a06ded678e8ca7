/** A reply shown by its view: in Chromium, by a host made of the official `AppBridge`, over the built server. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { start } from "../e2e/server.ts"
import { visitor } from "../page/visit.ts"

/** A folder for screenshots. */
const shots = process.env["K3_TEST_SHOTS"]

export const ui = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } }

export const opened = async (capabilities: object, flags?: readonly string[]) => {
  const server = start(flags)
  await server.request("initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "t", version: "1" } })
  server.send({ jsonrpc: "2.0", method: "notifications/initialized" })
  const { tools } = (await server.request("tools/list")).result
  return { server, tools: tools as readonly any[] }
}

let host: Promise<string> | undefined
const bundled = async (): Promise<string> => {
  const bundle = await rolldown({ input: join(import.meta.dirname, "host.ts"), platform: "browser", logLevel: "silent" })
  const { output } = await bundle.generate({ format: "iife" })
  await bundle.close()
  return output[0].code
}

interface Shown {
  readonly tool: string
  readonly given: object
  readonly theme?: "light" | "dark"
  /** K that runs before. */
  readonly prepare?: string
  readonly flags?: readonly string[]
}

export const shownView = async ({ tool, given, theme = "light", prepare, flags }: Shown) => {
  const { server, tools } = await opened(ui, flags)
  const uri = tools.find(({ name }) => name === tool)._meta.ui.resourceUri
  const { contents } = (await server.request("resources/read", { uri })).result
  if (prepare !== undefined) await server.call("k_eval", { code: prepare })
  const result = await server.call(tool, given)
  const { page, problems } = await visitor({ viewport: { width: 900, height: 800 } })
  const calls: { readonly name: string; readonly arguments: any }[] = []
  await page.exposeFunction("callTool", (params: { readonly name: string; readonly arguments: object }) => {
    calls.push(params)
    return server.call(params.name, params.arguments)
  })
  const requests: string[] = []
  page.on("request", (request) => void requests.push(request.url()))
  await page.goto("about:blank")
  await page.addScriptTag({ content: await (host ??= bundled()) })
  await page.evaluate(([html, given_, result_, theme_]) => (globalThis as any).show(html, given_, result_, theme_), [
    contents[0].text,
    given,
    result,
    theme,
  ] as const)
  const view = page.frameLocator("iframe")
  const shoot = async (name: string) => {
    if (shots === undefined) return
    mkdirSync(shots, { recursive: true })
    await page.screenshot({ path: join(shots, `${name}.png`) })
  }
  return { server, page, view, calls, problems, requests, contents, shoot }
}

/** A host of MCP Apps in a page, made of the official `AppBridge`: shows a view in a frame under the strictest policy that a host has. */
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge"

const scope = globalThis as any

/** The policy of a host for a view that declares no domain: scripts and styles in the page itself, pictures in addresses of data. */
const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"

/** `callTool` was given by the test, and reaches the server. */
scope.show = async (html: string, given: object, result: any, theme: "light" | "dark") => {
  const frame = scope.document.createElement("iframe")
  frame.sandbox = "allow-scripts"
  frame.style = "width: 860px; height: 760px; border: 0"
  frame.srcdoc = html.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`)
  scope.document.body.append(frame)
  const info = { name: "host", version: "1" }
  const bridge = new AppBridge(null, info, { serverTools: {} }, { hostContext: { theme } })
  bridge.oncalltool = (params) => scope.callTool(params)
  bridge.addEventListener("initialized", async () => {
    await bridge.sendToolInput({ arguments: { ...given } })
    await bridge.sendToolResult(result)
  })
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow))
}

/**
 * The conversation with a client, in both protocol eras. The SDK negotiates, lists and answers pings; `tools/call` takes a short way of
 * its own once the era is known, because it is what clients do all day (see QuickCalls.ts). Loaded when a client has spoken: nothing but
 * McpHost.ts imports it, and no file imports the SDK's code but this one.
 */
import { McpServer, ProtocolError, type Server } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import * as Effect from "effect/Effect"
import type { Sessions } from "../session/Sessions.ts"
import type { Settings } from "../Settings.ts"
import type * as Bridge from "./bridge.ts"
import { callTool } from "./callTool.ts"
import { instructions } from "./instructions.ts"
import { INVALID_PARAMS } from "./message.ts"
import type { Opening } from "./Opening.ts"
import { progressOf, QuickCalls, resultOf } from "./QuickCalls.ts"
import type { StdioTransport } from "./StdioTransport.ts"
import { tools } from "./tools/index.ts"

/** Speaks MCP from now on: the SDK through `opening`, the short way on the transport itself. */
export const converse = (
  bridge: Bridge.Bridge<Sessions | Settings>,
  transport: StdioTransport,
  opening: Opening,
  identity: { readonly name: string; readonly version: string },
): { readonly close: () => Promise<void> } => {
  const quick = new QuickCalls(bridge, transport, identity)
  const log = (error: Error): void => void bridge.start(Effect.logDebug(`protocol: ${error.message}`), () => {})

  const makeServer = (era: "legacy" | "modern"): Server => {
    const { server } = new McpServer(identity, { instructions, jsonSchemaValidator: { getValidator: () => accept } })
    server.registerCapabilities({ tools: {} })
    server.setRequestHandler("tools/list", () => ({ tools: tools.map((tool) => tool.describe()) }) as never)
    server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
      const tool = tools.find(({ name }) => name === params.name)
      if (tool === undefined) throw new ProtocolError(INVALID_PARAMS, unknownTool(params.name))
      quick.open(era)
      const onProgress = progressOf(transport, mcpReq.id, mcpReq._meta?.progressToken)
      return resultOf(await bridge.promise(callTool(tool, params.arguments, onProgress), mcpReq.signal))
    })
    return server
  }

  return serveStdio(({ era }) => makeServer(era), { transport: opening, onerror: log })
}

/** Arguments are judged by our schemas, replies made by them: there is nothing left for JSON Schema to say. */
const accept = (input: unknown) => ({ valid: true as const, data: input as never, errorMessage: undefined })

const unknownTool = (name: string): string => `Unknown tool: ${name}. There are: ${tools.map((tool) => tool.name).join(", ")}`

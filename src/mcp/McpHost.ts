/**
 * Serves MCP to one client over stdio, in both protocol eras, until the client is gone. The SDK negotiates, lists and answers pings;
 * `tools/call` takes a short way of its own once the era is known, because it is what clients do all day (see QuickCalls.ts).
 * Guarantees: `serve` ends when either stream does, having interrupted every call and written what was due; nothing is launched before
 * a tool needs it; `tools/list` and `ping` wait for no session. Does not: touch the process's streams (see `StdioStreams`) or signals.
 */
import { McpServer, ProtocolError, type Server } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import * as Effect from "effect/Effect"
import type { Sessions } from "../session/Sessions.ts"
import type { Settings } from "../Settings.ts"
import * as Bridge from "./bridge.ts"
import { callTool } from "./callTool.ts"
import { instructions } from "./instructions.ts"
import { INVALID_PARAMS } from "./message.ts"
import { progressOf, QuickCalls, resultOf } from "./QuickCalls.ts"
import { StdioStreams, StdioTransport } from "./StdioTransport.ts"
import { tools } from "./tools/index.ts"

/** What is waited for the last replies to be read by a client that has closed our input. */
const FLUSH_WAIT = "500 millis"

/** What a call still running at the end of input is waited for: a request piped in gets its reply, and a host that leaves is not held up. */
const END_PATIENCE = "1 second"

export const serve = ({ version }: { readonly version: string }): Effect.Effect<void, never, Sessions | Settings | StdioStreams> =>
  Effect.gen(function* () {
    const bridge = Bridge.make(yield* Effect.context<Sessions | Settings>())
    const transport = new StdioTransport(yield* StdioStreams, (giveUp) => void bridge.start(Effect.sleep(END_PATIENCE), giveUp))
    const { close } = connect(bridge, transport, { name: "k3-mcp", version })
    yield* Effect.promise(() => transport.over).pipe(Effect.ensuring(Effect.promise(close)), Effect.ensuring(Effect.sync(bridge.stop)))
    yield* Effect.timeoutOption(
      Effect.promise(() => transport.flushed()),
      FLUSH_WAIT,
    )
  })

/** Speaks MCP on the transport from now on. */
const connect = (
  bridge: Bridge.Bridge<Sessions | Settings>,
  transport: StdioTransport,
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

  return serveStdio(({ era }) => makeServer(era), { transport, onerror: log })
}

/** Arguments are judged by our schemas, replies made by them: there is nothing left for JSON Schema to say. */
const accept = (input: unknown) => ({ valid: true as const, data: input as never, errorMessage: undefined })

const unknownTool = (name: string): string => `Unknown tool: ${name}. There are: ${tools.map((tool) => tool.name).join(", ")}`

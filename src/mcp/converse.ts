/**
 * The conversation with a client, in both protocol eras. The SDK negotiates, lists and answers pings; `tools/call` is
 * answered by `ToolCalls.ts`, to which the transport hands its messages itself once the era is known. No file imports the SDK's code but this one.
 */
import { McpServer, ProtocolError, ResourceNotFoundError, type Server } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import * as Effect from "effect/Effect"
import type { Sessions } from "../session/Sessions.ts"
import { limits } from "../limits.ts"
import { Settings } from "../Settings.ts"
import { visible } from "../visible.ts"
import type { Bridge } from "./bridge.ts"
import { capabilities } from "./capabilities.ts"
import { complete } from "./complete.ts"
import { instructions } from "./instructions.ts"
import { type Era, INVALID_PARAMS } from "./message.ts"
import type { Identity, Opening } from "./Opening.ts"
import { find as findPrompt, listed as listedPrompts, prompts } from "./prompts/index.ts"
import { problemOf } from "./prompts/Prompt.ts"
import type { Registry } from "./Registry.ts"
import { failure } from "./render/sessionFailure.ts"
import { find as findResource, listed, templates } from "./resources/index.ts"
import type { Resource, Variables } from "./resources/Resource.ts"
import type { Versions } from "./Spoken.ts"
import type { StdioTransport } from "./StdioTransport.ts"
import { ToolCalls } from "./ToolCalls.ts"
import { notThere, Updates } from "./Updates.ts"

export interface Parts {
  readonly bridge: Bridge<Sessions | Settings>
  readonly registry: Registry
  readonly transport: StdioTransport
  readonly opening: Opening
  readonly identity: Identity
  /** Told of the protocol's, once it is settled. */
  readonly versions: Versions
}

/** Speaks MCP from now on: the SDK through `opening`, calls of tools on the transport itself. */
export const converse = ({ bridge, registry, transport, opening, identity, versions }: Parts): { readonly close: () => Promise<void> } => {
  const updates = new Updates(bridge, {
    forward: (message) => transport.onmessage?.(message),
    refuse: (id, message) => void transport.send({ jsonrpc: "2.0", id, error: { code: INVALID_PARAMS, message } }),
  })
  const calls = new ToolCalls({ bridge, registry, transport, identity, called: (tool, given) => updates.called(tool, given) })
  registry.listen(() => updates.toolsChanged())
  transport.intercept = (message) => {
    const isHeld = updates.heard(message)
    return calls.take(message) || isHeld
  }
  const log = (error: Error): void => void bridge.fork(Effect.logDebug(`protocol: ${error.message}`))

  const serveTools = (server: Server, era: Era): void => {
    server.setRequestHandler("tools/list", async (_, { mcpReq }) => {
      const all = await bridge.promise(registry.all, mcpReq)
      return asResult({ tools: all.map((tool) => tool.describe()) })
    })
    server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
      calls.open(era)
      versions.protocol = server.getNegotiatedProtocolVersion()
      const { id, _meta: meta } = mcpReq
      const call = { id, name: params.name, given: params.arguments, progressToken: meta?.progressToken }
      const answer = await bridge.promise(calls.answer(call), mcpReq)
      if ("error" in answer) throw new ProtocolError(answer.error.code, answer.error.message)
      return answer.result
    })
  }

  return serveStdio(
    ({ era }) => {
      const { server } = new McpServer(identity, { instructions, jsonSchemaValidator: { getValidator: () => accept } })
      server.registerCapabilities(capabilities)
      updates.attach(server, era)
      serveTools(server, era)
      serveResources(server, bridge)
      servePrompts(server)
      server.setRequestHandler("completion/complete", async ({ params }, { mcpReq }) => ({
        completion: await bridge.promise(complete(params), mcpReq),
      }))
      if (era === "legacy") serveSubscriptions(server, updates, bridge)
      return server
    },
    { transport: opening, onerror: log },
  )
}

const serveResources = (server: Server, bridge: Parts["bridge"]): void => {
  server.setRequestHandler("resources/list", async (_, { mcpReq }) => asResult({ resources: await bridge.promise(listed, mcpReq) }))
  server.setRequestHandler("resources/templates/list", () => asResult({ resourceTemplates: templates }))
  server.setRequestHandler("resources/read", async ({ params: { uri } }, { mcpReq }) => {
    const found = findResource(uri)
    const text = found && (await bridge.promise(readResource(found.resource, found.variables), mcpReq))
    if (text === undefined) throw new ResourceNotFoundError(uri)
    return { contents: [{ uri, mimeType: found!.resource.mimeType, text: visible(text) }] }
  })
}

const servePrompts = (server: Server): void => {
  server.setRequestHandler("prompts/list", () => asResult({ prompts: listedPrompts }))
  server.setRequestHandler("prompts/get", ({ params }) => {
    const prompt = findPrompt(params.name)
    if (prompt === undefined) throw new ProtocolError(INVALID_PARAMS, unknownPrompt(params.name))
    const problem = problemOf(prompt, params.arguments ?? {})
    if (problem !== undefined) throw new ProtocolError(INVALID_PARAMS, problem)
    return {
      description: prompt.description,
      messages: [{ role: "user", content: { type: "text", text: prompt.text(params.arguments ?? {}) } }],
    }
  })
}

/** The later era has `subscriptions/listen`, which the SDK answers. */
const serveSubscriptions = (server: Server, updates: Updates, bridge: Parts["bridge"]): void => {
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }, { mcpReq }) => {
    if (findResource(uri) === undefined) throw new ResourceNotFoundError(uri)
    const problem = await bridge.promise(updates.subscribe(uri), mcpReq)
    if (problem === "not there") throw new ProtocolError(INVALID_PARAMS, notThere(uri))
    if (problem === "too many")
      throw new ProtocolError(
        INVALID_PARAMS,
        `${limits.watched} resources are subscribed to already: call resources/unsubscribe for one first`,
      )
    return {}
  })
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    updates.unsubscribe(uri)
    return {}
  })
}

/** Arguments are judged by our schemas, replies made by them: there is nothing left for JSON Schema to say. */
const accept = (input: unknown) => ({ valid: true as const, data: input as never, errorMessage: undefined })

/** What we list cannot be written to, which the SDK's types do not take though it only reads it. */
const asResult = (result: object) => result as never

/** What cannot be read now is told in the words of its tool. */
const readResource = (resource: Resource, variables: Variables) =>
  resource.read(variables).pipe(Effect.catch((error) => Effect.map(Settings, (settings) => failure(error, settings).text)))

const unknownPrompt = (name: string): string =>
  `Unknown prompt: ${visible(name)}. There are: ${prompts.map((each) => each.name).join(", ")}`

/**
 * Makes a server of the SDK with all handlers, for one connection or one request, of either era and over any transport. Only this file,
 * `skills.ts`, `converse.ts`, `resources/Resource.ts` and `http/` import the SDK's code.
 */
import {
  McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ResourceNotFoundError,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import { Caller, type CallerInfo } from "../session/Caller.ts"
import type { Sessions } from "../session/Sessions.ts"
import { Settings } from "../Settings.ts"
import { visible } from "../visible.ts"
import { capabilitiesIn } from "./capabilities.ts"
import { complete } from "./complete.ts"
import { instructions } from "./instructions.ts"
import { type Answer, CAPABILITIES_KEY, type Era, INVALID_PARAMS } from "./message.ts"
import type { Identity } from "./Opening.ts"
import { find as findPrompt, listed as listedPrompts, prompts } from "./prompts/index.ts"
import { problemOf } from "./prompts/Prompt.ts"
import { failure } from "./render/sessionFailure.ts"
import { find as findResource, listed, templates } from "./resources/index.ts"
import type { Resource, AddressVariables } from "./resources/Resource.ts"
import { skills } from "./skills.ts"
import type { Space } from "./Space.ts"
import * as tasks from "./tasks.ts"
import { callOf, type ToolCall } from "./toolCall.ts"
import type { RawArguments } from "./Tool.ts"
import { tracedAnswer } from "./tracedAnswer.ts"
import type { Updates } from "./Updates.ts"
import { showsViews, withViews } from "./views.ts"

export type McpRequest = ServerContext["mcpReq"]

export interface ServerParts extends Pick<Space, "bridge" | "registry" | "telemetry"> {
  readonly identity: Identity
  /** Answers a call of a tool. */
  readonly answer: (call: ToolCall, request: McpRequest, server: Server) => Effect.Effect<Answer, never, Sessions | Settings>
  /** The caller of a request about a task; absent on stdio, which has a single client. */
  readonly caller?: (server: Server, request: McpRequest) => CallerInfo
  /** For `resources/subscribe` of the legacy era. */
  readonly updates: Updates
  /** Adds handlers: the fixtures of a conformance suite. */
  readonly mount?: ((server: Server) => void) | undefined
}

/** The client capabilities that a request of the modern era declares. */
const declaredBy = ({ envelope = {} }: McpRequest): unknown => (envelope as RawArguments)[CAPABILITIES_KEY]

export const makeServer = (parts: ServerParts, era: Era): Server => {
  const { bridge, registry, identity, answer, updates, mount } = parts
  const mcp = new McpServer(identity, { instructions, jsonSchemaValidator: { getValidator: () => accept } })
  const { server } = mcp
  // Sets handlers for `resources/`, which `serveResources` replaces.
  skills.attach(mcp)
  server.registerCapabilities(capabilitiesIn(era))
  server.setRequestHandler("tools/list", async (_, { mcpReq }) => {
    const all = await bridge.promise(registry.all, mcpReq)
    const isShown = showsViews(declaredBy(mcpReq)) || showsViews(server.getClientCapabilities())
    return asResult({ tools: isShown ? withViews(all) : all.map((tool) => tool.describe()) })
  })
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const call = callOf({ id: mcpReq.id, name: params.name, given: params.arguments }, mcpReq._meta, declaredBy(mcpReq))
    return resultOrThrow(await bridge.promise(answer(call, mcpReq, server), mcpReq))
  })
  serveResources(server, bridge)
  servePrompts(server)
  server.setRequestHandler("completion/complete", async ({ params }, { mcpReq }) => ({
    completion: await bridge.promise(complete(params), mcpReq),
  }))
  if (era === "legacy") serveSubscriptions(server, updates, bridge)
  else serveTasks(server, parts)
  mount?.(server)
  return server
}

const notFound = (uri: string): ResourceNotFoundError =>
  new ResourceNotFoundError(uri, `Resource not found: ${uri}. resources/list and resources/templates/list give those there are`)

const serveResources = (server: Server, bridge: ServerParts["bridge"]): void => {
  server.setRequestHandler("resources/list", async (_, { mcpReq }) => asResult({ resources: await bridge.promise(listed, mcpReq) }))
  server.setRequestHandler("resources/templates/list", () => asResult({ resourceTemplates: templates }))
  server.setRequestHandler("resources/read", async ({ params: { uri } }, { mcpReq }) => {
    const found = findResource(uri)
    const text = found && (await bridge.promise(readResource(found.resource, found.variables), mcpReq))
    if (text === undefined) throw notFound(uri)
    const { mimeType, meta } = found!.resource
    return { contents: [{ uri, mimeType, text: visible(text), ...(meta !== undefined && { _meta: meta }) }] }
  })
}

const servePrompts = (server: Server): void => {
  server.setRequestHandler("prompts/list", () => asResult({ prompts: listedPrompts }))
  server.setRequestHandler("prompts/get", ({ params }) => {
    const { name, arguments: given = {} } = params
    const prompt = findPrompt(name)
    if (prompt === undefined) throw new ProtocolError(INVALID_PARAMS, unknownPrompt(name))
    const problem = problemOf(prompt, given)
    if (problem !== undefined) throw new ProtocolError(INVALID_PARAMS, problem)
    return { description: prompt.description, messages: [{ role: "user", content: { type: "text", text: prompt.text(given) } }] }
  })
}

/** Subscriptions of the legacy era. The modern era has `subscriptions/listen`, which the SDK answers. */
const serveSubscriptions = (server: Server, updates: Updates, bridge: ServerParts["bridge"]): void => {
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }, { mcpReq }) => {
    if (findResource(uri) === undefined) throw notFound(uri)
    const problem = await bridge.promise(updates.subscribe(uri), mcpReq)
    if (problem !== undefined) throw new ProtocolError(INVALID_PARAMS, problem)
    return {}
  })
  server.setRequestHandler("resources/unsubscribe", async ({ params: { uri } }, { mcpReq }) => {
    await bridge.promise(updates.unsubscribe(uri), mcpReq)
    return {}
  })
}

/** Accepts any parameters: `tasks.ts` checks them. */
const params = { "~standard": { version: 1, vendor: "k3-mcp", validate: (value: unknown) => ({ value }) } } as const

const serveTasks = (server: Server, { bridge, telemetry, caller }: ServerParts): void => {
  for (const [method, answer] of tasks.methods)
    server.setRequestHandler(method, { params }, async (given, { mcpReq }) => {
      if (!tasks.takesTasks(declaredBy(mcpReq))) throw new MissingRequiredClientCapabilityError({ requiredCapabilities: tasks.required })
      const answering = tracedAnswer(telemetry, { method, traceparent: mcpReq._meta?.["traceparent"] }, answer(given))
      const answered = caller === undefined ? answering : Effect.provideService(answering, Caller, caller(server, mcpReq))
      return resultOrThrow(await bridge.promise(answered, mcpReq))
    })
}

/** Accepts everything: `Tool.ts` checks arguments, and replies are the server's own. */
const accept = (input: unknown) => ({ valid: true as const, data: input as never, errorMessage: undefined })

/** The SDK's types refuse readonly arrays, which it only reads, and a task as the result of a call. */
const asResult = (result: object) => result as never

/** The result of an answer, for the SDK; throws an error that it has instead. */
const resultOrThrow = (answered: Answer) => {
  if ("error" in answered) throw new ProtocolError(answered.error.code, answered.error.message)
  return asResult(answered.result)
}

/** The text of a resource; a failure becomes the text of the tool's reply. */
const readResource = (resource: Resource, variables: AddressVariables) =>
  resource.read(variables).pipe(Effect.catch((error) => Effect.map(Settings, (settings) => failure(error, settings).text)))

const unknownPrompt = (name: string): string =>
  `Unknown prompt: ${visible(name)}. There are: ${prompts.map((each) => each.name).join(", ")}`

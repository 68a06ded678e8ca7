/** The tools, resources and prompts that the official conformance suite expects of a server by name, and that ours lacks. For tests only. */
import { createHmac } from "node:crypto"
import {
  acceptedContent,
  inputRequired,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server"

const INVALID_PARAMS = -32602
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
const wav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="

type Handler = (request: any, context: ServerContext) => unknown
type Tool = (args: any, context: ServerContext, params: any) => unknown

const text = (words: string) => ({ content: [{ type: "text", text: words }] })
const pause = () => new Promise((resolve) => setTimeout(resolve, 50))

const object = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  type: "object" as const,
  properties: properties as never,
  required: [...required],
})
const ask = (message: string, properties: object) => inputRequired.elicit({ message, requestedSchema: object(properties) })
const sample = (words: string) => ({
  method: "sampling/createMessage" as const,
  params: { messages: [{ role: "user" as const, content: { type: "text" as const, text: words } }], maxTokens: 100 },
})
const roots = { method: "roots/list" as const, params: {} }
const name = () => ask("What is your name?", { name: { type: "string" } })

const sign = (state: string): string => `${state}.${createHmac("sha256", "conformance").update(state).digest("hex")}`
const stateOf = ({ mcpReq }: ServerContext): string | undefined => {
  const given = mcpReq.requestState<string>()
  if (given === undefined) return undefined
  const state = given.split(".")[0]!
  if (given !== sign(state)) throw new ProtocolError(INVALID_PARAMS, "requestState was changed on its way")
  return state
}

const declared = ({ mcpReq }: ServerContext, params: any): any =>
  params?._meta?.[CAPABILITIES] ?? (mcpReq as any).envelope?.[CAPABILITIES] ?? (mcpReq as any)._meta?.[CAPABILITIES] ?? {}

/** On the stream of the request: the SDK sends a question to the stream that only listens, and drops it while the client has not opened one. */
const onStreamOf = ({ mcpReq }: ServerContext) => ({ relatedRequestId: mcpReq.id })

const elicited =
  (properties: object, required?: readonly string[]): Tool =>
  async (_, context) => {
    const asked = { message: "Tell", requestedSchema: object(properties, required) }
    const { action, content } = await context.mcpReq.elicitInput(asked, onStreamOf(context))
    return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`)
  }

/** Asks until all are answered. */
const needing =
  (requests: () => Record<string, unknown>, state?: string): Tool =>
  (_, context) => {
    const { inputResponses = {} } = context.mcpReq
    const known = stateOf(context)
    const wanted = requests()
    const isAnswered = Object.keys(wanted).every((key) => {
      const given = inputResponses[key] as any
      return given !== undefined && (given.action === undefined || acceptedContent(inputResponses, key) !== undefined)
    })
    if (isAnswered && (state === undefined || known === state)) return text(`state-ok ${JSON.stringify(inputResponses)}`)
    return inputRequired({ inputRequests: wanted as never, ...(state !== undefined && { requestState: sign(state) }) })
  }

const multiRound: Tool = (_, context) => {
  const { inputResponses = {} } = context.mcpReq
  const state = stateOf(context)
  if (state === "two" && inputResponses["step2"] !== undefined) return text("All steps are done.")
  if (state === "one" && inputResponses["step1"] !== undefined)
    return inputRequired({
      inputRequests: { step2: ask("Step 2: What is your favorite color?", { color: { type: "string" } }) },
      requestState: sign("two"),
    })
  return inputRequired({
    inputRequests: { step1: ask("Step 1: What is your name?", { name: { type: "string" } }) },
    requestState: sign("one"),
  })
}

const logging: Tool = async (_, { mcpReq }) => {
  for (const words of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
    await mcpReq.log("info", words)
    await pause()
  }
  return text("Logged.")
}

const tools: Readonly<Record<string, Tool>> = {
  test_simple_text: () => text("This is a simple text response for testing."),
  test_image_content: () => ({ content: [{ type: "image", data: png, mimeType: "image/png" }] }),
  test_audio_content: () => ({ content: [{ type: "audio", data: wav, mimeType: "audio/wav" }] }),
  test_embedded_resource: () => ({
    content: [
      {
        type: "resource",
        resource: { uri: "test://embedded-resource", mimeType: "text/plain", text: "This is an embedded resource content." },
      },
    ],
  }),
  test_multiple_content_types: () => ({
    content: [
      { type: "text", text: "Multiple content types test:" },
      { type: "image", data: png, mimeType: "image/png" },
      {
        type: "resource",
        resource: { uri: "test://mixed-content-resource", mimeType: "application/json", text: '{"test":"data","value":123}' },
      },
    ],
  }),
  test_tool_with_logging: logging,
  test_logging_tool: logging,
  test_error_handling: () => ({ isError: true, ...text("This tool intentionally returns an error for testing") }),
  test_tool_with_progress: async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } })
      await pause()
    }
    return text("Done.")
  },
  test_sampling: async ({ prompt }, context) => {
    const { content } = await context.mcpReq.requestSampling(sample(String(prompt)).params, onStreamOf(context))
    return text(`LLM response: ${JSON.stringify(content)}`)
  },
  test_elicitation: async ({ message }, context) => {
    const requestedSchema = object({
      username: { type: "string", description: "User's response" },
      email: { type: "string", description: "User's email address" },
    })
    const { action, content } = await context.mcpReq.elicitInput({ message: String(message), requestedSchema }, onStreamOf(context))
    return text(`User response: action: ${action}, content: ${JSON.stringify(content ?? {})}`)
  },
  test_elicitation_sep1034_defaults: elicited(
    {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    },
    [],
  ),
  test_elicitation_sep1330_enums: elicited(
    {
      untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
      titledSingle: {
        type: "string",
        oneOf: [
          { const: "value1", title: "First Option" },
          { const: "value2", title: "Second Option" },
          { const: "value3", title: "Third Option" },
        ],
      },
      legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["Option One", "Option Two", "Option Three"] },
      untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
      titledMulti: {
        type: "array",
        items: {
          anyOf: [
            { const: "value1", title: "First Choice" },
            { const: "value2", title: "Second Choice" },
            { const: "value3", title: "Third Choice" },
          ],
        },
      },
    },
    [],
  ),
  test_input_required_result_elicitation: needing(() => ({ user_name: name() })),
  test_input_required_result_sampling: needing(() => ({ capital_question: sample("What is the capital of France?") })),
  test_input_required_result_list_roots: needing(() => ({ client_roots: roots })),
  test_input_required_result_request_state: needing(() => ({ confirm: ask("Please confirm", { ok: { type: "boolean" } }) }), "confirming"),
  test_input_required_result_multiple_inputs: needing(
    () => ({ user_name: name(), greeting: sample("Generate a greeting"), client_roots: roots }),
    "several",
  ),
  test_input_required_result_multi_round: multiRound,
  test_input_required_result_tampered_state: needing(() => ({ confirm: ask("Please confirm", { ok: { type: "boolean" } }) }), "sealed"),
  test_input_required_result_capabilities: (args, context, params) => {
    const { sampling, elicitation } = declared(context, params)
    return needing(() => ({
      ...(sampling !== undefined && { greeting: sample("Generate a greeting") }),
      ...(elicitation !== undefined && { user_name: name() }),
    }))(args, context, params)
  },
  test_missing_capability: (_, context, params) => {
    if (declared(context, params).sampling === undefined)
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
    return text("The capability is there.")
  },
  test_streaming_elicitation: needing(() => ({ user_name: name() })),
}

const described: Readonly<Record<string, object>> = {
  test_sampling: object({ prompt: { type: "string" } }),
  test_elicitation: object({ message: { type: "string" } }),
}

const resources: Readonly<Record<string, object>> = {
  "test://static-text": { mimeType: "text/plain", text: "This is the content of the static text resource." },
  "test://static-binary": { mimeType: "image/png", blob: png },
  "test://watched-resource": { mimeType: "text/plain", text: "Watched." },
}

const message = (content: object) => ({ role: "user", content })
const prompts: Readonly<Record<string, readonly [args: readonly string[], get: (args: any, context: ServerContext) => unknown]>> = {
  test_simple_prompt: [[], () => ({ messages: [message({ type: "text", text: "This is a simple prompt for testing." })] })],
  test_prompt_with_arguments: [
    ["arg1", "arg2"],
    ({ arg1, arg2 }) => ({ messages: [message({ type: "text", text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` })] }),
  ],
  test_prompt_with_embedded_resource: [
    ["resourceUri"],
    ({ resourceUri: uri }) => ({
      messages: [
        message({ type: "resource", resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." } }),
        message({ type: "text", text: "Please process the embedded resource above." }),
      ],
    }),
  ],
  test_prompt_with_image: [
    [],
    () => ({
      messages: [
        message({ type: "image", data: png, mimeType: "image/png" }),
        message({ type: "text", text: "Please analyze the image above." }),
      ],
    }),
  ],
  test_input_required_result_prompt: [
    [],
    (_, { mcpReq: { inputResponses } }) => {
      const answer = acceptedContent(inputResponses, "user_context")
      if (answer === undefined)
        return inputRequired({ inputRequests: { user_context: ask("What context?", { context: { type: "string" } }) } })
      return { messages: [message({ type: "text", text: `Use this context: ${JSON.stringify(answer)}` })] }
    },
  ],
}

/** Beside what the server answers by itself. */
export const mount = (server: Server): void => {
  server.registerCapabilities({ logging: {} })
  const handlers = (server as unknown as { readonly _requestHandlers: ReadonlyMap<string, Handler> })._requestHandlers
  const around = (method: string, handle: (request: any, context: ServerContext, ours: () => Promise<any>) => unknown): void => {
    const own = handlers.get(method)
    const handler: Handler = (request, context) => handle(request, context, async () => own?.(request, context))
    server.setRequestHandler(method as "ping", handler as never)
  }
  around("tools/list", async (_, _context, ours) => {
    const { tools: real, ...rest } = await ours()
    const fixtures = Object.keys(tools).map((each) => ({
      name: each,
      description: `Fixture ${each}`,
      inputSchema: described[each] ?? { type: "object" },
    }))
    return { ...rest, tools: [...real, ...fixtures] }
  })
  around("tools/call", ({ params }, context, ours) => tools[params.name]?.(params.arguments ?? {}, context, params) ?? ours())
  around("resources/list", async (_, _context, ours) => {
    const { resources: real, ...rest } = await ours()
    const fixtures = Object.entries(resources).map(([uri, { mimeType }]: [string, any]) => ({
      uri,
      name: uri,
      description: "Fixture",
      mimeType,
    }))
    return { ...rest, resources: [...real, ...fixtures] }
  })
  around("resources/templates/list", async (_, _context, ours) => {
    const { resourceTemplates, ...rest } = await ours()
    const fixture = { uriTemplate: "test://template/{id}/data", name: "template", description: "Fixture", mimeType: "application/json" }
    return { ...rest, resourceTemplates: [...resourceTemplates, fixture] }
  })
  around("resources/read", ({ params: { uri } }, _context, ours) => {
    if (resources[uri] !== undefined) return { contents: [{ uri, ...resources[uri] }] }
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
    if (id === undefined) return ours()
    const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
    return { contents: [{ uri, mimeType: "application/json", text: data }] }
  })
  if (handlers.has("resources/subscribe"))
    for (const method of ["resources/subscribe", "resources/unsubscribe"])
      around(method, ({ params: { uri } }, _context, ours) => (resources[uri] === undefined ? ours() : {}))
  around("prompts/list", async (_, _context, ours) => {
    const { prompts: real, ...rest } = await ours()
    const fixtures = Object.entries(prompts).map(([each, [args]]) => ({
      name: each,
      description: `Fixture ${each}`,
      arguments: args.map((argument) => ({ name: argument, description: argument, required: true })),
    }))
    return { ...rest, prompts: [...real, ...fixtures] }
  })
  around("prompts/get", ({ params }, context, ours) => prompts[params.name]?.[1](params.arguments ?? {}, context) ?? ours())
}

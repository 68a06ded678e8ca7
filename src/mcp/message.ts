/**
 * Reads a text as a JSON-RPC message. Guarantees: a message that `readMessage` accepts satisfies the SDK's own schemas, which would drop any other
 * one without a reply; for every other request `readMessage` returns the error to send, with the request's id if it has a valid one.
 */
import type { JSONRPCMessage } from "@modelcontextprotocol/server"
import { limits } from "../limits.ts"
import { exceedsLimits } from "../nesting.ts"
import { shortened } from "../shortened.ts"

export type Id = string | number

export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603
export const MISSING_CAPABILITY = -32021

/** A legacy connection opens with `initialize`; in a modern one each request states its protocol version. */
export type Era = "legacy" | "modern"

/** The latest version of the legacy era. */
export const LEGACY_VERSION = "2025-11-25"
const legacyVersions: ReadonlySet<unknown> = new Set([LEGACY_VERSION, "2025-06-18", "2025-03-26", "2024-11-05"])
/** Is it a version of the legacy era that is served without the SDK? The SDK negotiates the others. */
export const isLegacyVersion = (version: unknown): boolean => legacyVersions.has(version)

/** The version of the modern era, and the keys of `_meta` that this version puts into every request and reply. */
export const MODERN_VERSION = "2026-07-28"
export const VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
export const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
export const CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
const SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"
export const SERVER_KEY = "io.modelcontextprotocol/serverInfo"
/** The task of an earlier draft that a message belongs to. */
const TASK_KEY = "io.modelcontextprotocol/related-task"

/** An error of JSON-RPC. */
export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: object
}

/** The error to send for a request. `id` is absent when the request has no valid one: MCP has no `id: null`. */
export type Fault = RpcError & { readonly id?: Id }

/** An object of JSON, of which nothing is known. */
export type Fields = Readonly<Record<string, unknown>>

/** The result or error of a request that the server answers. */
export type Answer = { readonly result: Fields } | { readonly error: RpcError }

export type CheckedMessage =
  | { readonly kind: "message"; readonly message: JSONRPCMessage }
  | { readonly kind: "fault"; readonly fault: Fault }
  /** A malformed reply, which gets no answer. */
  | { readonly kind: "ignored"; readonly why: string }

export const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value)

export const isText = (value: unknown): value is string => typeof value === "string"

/** JSON of `JSON.stringify`, with U+FFFD for each half of a surrogate pair, which strict clients refuse to read. */
export const withoutHalves = (json: string): string => {
  if (!json.includes("\\ud")) return json
  // Each escape is matched: to look back from a `u` over backslashes would take the square of their number.
  return json.replaceAll(/\\(?:ud[89a-f][0-9a-f]{2}|.)/g, (escape) => (escape.length > 2 ? "\\ufffd" : escape))
}

/** The JSON of a message, for every client. */
export const jsonOf = (message: object): string => withoutHalves(JSON.stringify(message))

const isTexts = (value: unknown): value is Readonly<Record<string, string>> => isObject(value) && Object.values(value).every(isText)

/** Is this a client's own description, with its name and version? */
export const namesClient = (client: unknown): boolean => isTexts(client) && "name" in client && "version" in client

const isId = (value: unknown): value is Id => (isText(value) ? value.length <= limits.id : Number.isSafeInteger(value))
const idForm = `a string of at most ${limits.id} characters or a whole number`

/** A sentence if the text is longer than `most` characters. */
const tooLong = (what: string, given: unknown, most: number): string | undefined =>
  isText(given) && given.length > most ? `${what} has ${given.length} characters; at most ${most} are taken` : undefined

const tooMany = (what: string, given: unknown, most: number): string | undefined =>
  Array.isArray(given) && given.length > most ? `${what} has ${given.length} items; at most ${most} are taken` : undefined

/** A field of a value that need not be an object. */
export const field = (from: unknown, name: string): unknown => (isObject(from) ? from[name] : undefined)

/** A sentence on the first name, address or list of a request that is too long for any method. */
const excessIn = (method: string, params: Fields | undefined): string | undefined => {
  const { name, taskId, uri, ref, argument, notifications } = params ?? {}
  const asked = field(notifications, "resourceSubscriptions")
  const longest = Array.isArray(asked) ? asked.find((each) => isText(each) && each.length > limits.address) : undefined
  return (
    tooLong("method", method, limits.method) ??
    tooLong("params.name", name, limits.calledName) ??
    tooLong("params.taskId", taskId, limits.calledName) ??
    tooLong("params.uri", uri, limits.address) ??
    tooLong("params.ref.uri", field(ref, "uri"), limits.address) ??
    tooLong("params.ref.name", field(ref, "name"), limits.calledName) ??
    tooLong("params.argument.name", field(argument, "name"), limits.calledName) ??
    tooLong("params.argument.value", field(argument, "value"), limits.completed) ??
    tooMany("params.notifications.resourceSubscriptions", asked, limits.watched) ??
    tooMany("params.notifications.taskIds", field(notifications, "taskIds"), limits.watched) ??
    tooLong("an address in params.notifications.resourceSubscriptions", longest, limits.address)
  )
}

/** Methods that the modern era no longer has. */
const legacyMethods: ReadonlySet<string> = new Set(["initialize", "resources/subscribe", "resources/unsubscribe"])

/** A sentence on the first wrong parameter of a method; the SDK would call it an internal error. */
const wrongIn = (method: string, params: Fields = {}): string | undefined => {
  const { cursor, uri, name, ref, argument, context, protocolVersion, capabilities, clientInfo, arguments: given } = params
  const text = (what: string, value: unknown) => (isText(value) ? undefined : `params.${what} must be a string`)
  switch (method) {
    case "tools/list":
    case "prompts/list":
    case "resources/list":
    case "resources/templates/list":
      return cursor === undefined ? undefined : "params.cursor is none of this server, whose lists come whole; ask without one"
    case "resources/read":
    case "resources/subscribe":
    case "resources/unsubscribe":
      return text("uri", uri)
    case "tools/call":
      return text("name", name) ?? (given === undefined || isObject(given) ? undefined : "params.arguments must be an object")
    case "prompts/get":
      return text("name", name) ?? (given === undefined || isTexts(given) ? undefined : "params.arguments must be an object of strings")
    case "completion/complete": {
      const type = field(ref, "type")
      const refers = type === "ref/prompt" ? isText(field(ref, "name")) : type === "ref/resource" && isText(field(ref, "uri"))
      if (!refers) return 'params.ref must be {"type": "ref/prompt", "name": …} or {"type": "ref/resource", "uri": …}'
      const known = field(context, "arguments")
      const isContext = context === undefined || (isObject(context) && (known === undefined || isTexts(known)))
      return (
        text("argument.name", field(argument, "name")) ??
        text("argument.value", field(argument, "value")) ??
        (isContext ? undefined : "params.context.arguments must be an object of strings")
      )
    }
    case "initialize":
      return (
        text("protocolVersion", protocolVersion) ??
        (isObject(capabilities) ? undefined : "params.capabilities must be an object") ??
        text("clientInfo.name", field(clientInfo, "name")) ??
        text("clientInfo.version", field(clientInfo, "version"))
      )
  }
  return undefined
}

/** The id of the request that a notification of the client cancels; undefined for any other message, and for a request of that name. */
export const cancelledBy = (message: JSONRPCMessage | undefined): Id | undefined =>
  message !== undefined && "method" in message && message.method === "notifications/cancelled" && !("id" in message)
    ? (message.params?.["requestId"] as Id | undefined)
    : undefined

/** The id of the request to listen whose beginning a message of the server acknowledges; undefined for any other message. */
export const acknowledgedBy = (message: JSONRPCMessage): Id | undefined =>
  "method" in message && message.method === "notifications/subscriptions/acknowledged"
    ? (field(message.params?._meta, SUBSCRIPTION_KEY) as Id | undefined)
    : undefined

const requestKeys: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params"])

const invalid = (message: string, id: unknown): CheckedMessage => ({
  kind: "fault",
  fault: { code: INVALID_REQUEST, message: `Invalid request: ${message}`, ...(isId(id) && { id }) },
})

/** The fault of a request with the id of a running one. */
export const stillRunning = (id: Id): string => `Invalid request: a request with id ${JSON.stringify(id)} is still running`

/** MCP has no batches since 2025-06-18. */
export const noBatches = "Invalid request: batches are not supported; send one message at a time"

/** Parses the text of a message and checks it. */
export const readMessage = (text: string): CheckedMessage | { readonly kind: "batch"; readonly items: readonly unknown[] } => {
  if (exceedsLimits(text, limits.nesting))
    return invalid(`a message may nest at most ${limits.nesting} levels deep, and have at most ${limits.values} values`, undefined)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { kind: "fault", fault: { code: PARSE_ERROR, message: `Parse error: ${(error as Error).message.slice(0, 200)}` } }
  }
  return Array.isArray(value) ? { kind: "batch", items: value } : checkMessage(value)
}

const checkMessage = (value: unknown): CheckedMessage => {
  if (!isObject(value)) return invalid("a message is a JSON object", undefined)
  const { jsonrpc, id, method, params } = value
  if (method === undefined && ("result" in value || "error" in value)) return checkReply(value)
  if ("id" in value && !isId(id)) return invalid(`id must be ${idForm}`, undefined)
  if (jsonrpc !== "2.0") return invalid('jsonrpc must be "2.0"', id)
  if (!isText(method)) return invalid("method must be a string", id)
  if (params !== undefined && !isObject(params)) return invalid("params must be an object", id)
  for (const key in value) if (!requestKeys.has(key)) return invalid(`unknown key ${JSON.stringify(shortened(key, 80))}`, id)
  const meta = params?.["_meta"]
  if (meta !== undefined && !isObject(meta)) return invalid("params._meta must be an object", id)
  const token = meta?.["progressToken"]
  if (token !== undefined && !isId(token)) return invalid(`params._meta.progressToken must be ${idForm}`, id)
  const task = meta?.[TASK_KEY]
  if (task !== undefined && !isText(field(task, "taskId"))) return invalid(`params._meta.${TASK_KEY} must be an object with a taskId`, id)
  const excess = excessIn(method, params)
  if (excess !== undefined) return invalid(excess, id)
  const isUnknown = legacyMethods.has(method) && meta?.[VERSION_KEY] !== undefined
  const wrong = "id" in value && !isUnknown ? wrongIn(method, params) : undefined
  if (wrong !== undefined) return { kind: "fault", fault: { code: INVALID_PARAMS, message: `Invalid params: ${wrong}`, id: id as Id } }
  return { kind: "message", message: value as unknown as JSONRPCMessage }
}

const checkReply = (value: Fields): CheckedMessage => {
  const { jsonrpc, id, result, error } = value
  const wellFormed = isObject(error)
    ? Number.isSafeInteger(error["code"]) && isText(error["message"]) && (id === undefined || isId(id))
    : isObject(result) && isId(id)
  if (jsonrpc !== "2.0" || !wellFormed) return { kind: "ignored", why: "a reply that is no JSON-RPC reply" }
  return { kind: "message", message: value as unknown as JSONRPCMessage }
}

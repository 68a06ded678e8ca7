/**
 * A request to call a tool, as every transport reads it. Pure. Guarantees: `plainCall` accepts only requests that the SDK would hand to its
 * handler of `tools/call`; it leaves a request with any other field to the SDK. Does not: judge a tool's arguments.
 */
import type { JSONRPCMessage } from "@modelcontextprotocol/server"
import { CAPABILITIES_KEY, CLIENT_KEY, type Era, type Id, isObject, MODERN_VERSION, namesClient, VERSION_KEY } from "./message.ts"
import { takesTasks } from "./tasks.ts"
import type { RawArguments } from "./Tool.ts"

/** One call: the parameters of its request. */
export interface ToolCall {
  readonly id: Id
  readonly name: string
  readonly given: RawArguments | undefined
  readonly progressToken: Id | undefined
  /** The client's trace (W3C `traceparent`), not validated. */
  readonly traceparent?: unknown
  /** True if the client accepts a task as the answer to a background evaluation. */
  readonly takesTasks: boolean
}

/** The call in a request. `capabilities`: the value that the request itself declares; a request of the legacy era declares none. */
export const callOf = (
  asked: Pick<ToolCall, "id" | "name" | "given">,
  meta: RawArguments | undefined,
  capabilities: unknown,
): ToolCall => ({
  progressToken: meta?.["progressToken"] as Id | undefined,
  traceparent: meta?.["traceparent"],
  takesTasks: takesTasks(capabilities),
  // The copy comes last: V8 takes half a microsecond for each new key after a copy.
  ...asked,
})

const callKeys: ReadonlySet<string> = new Set(["name", "arguments", "_meta"])

export const metaOf = (message: JSONRPCMessage): RawArguments | undefined => ("params" in message ? message.params?._meta : undefined)

/** The era that a message claims. */
export const eraOf = (message: JSONRPCMessage): Era => {
  const meta = metaOf(message)
  return meta !== undefined && Object.hasOwn(meta, VERSION_KEY) ? "modern" : "legacy"
}

const declares = (meta: RawArguments): boolean => {
  const { [VERSION_KEY]: version, [CAPABILITIES_KEY]: capabilities, [CLIENT_KEY]: client } = meta
  return (
    version === MODERN_VERSION &&
    isObject(capabilities) &&
    Object.values(capabilities).every(isObject) &&
    (client === undefined || namesClient(client))
  )
}

/** The call in a request of `era`; undefined if the message is no plain call, and the SDK has to judge it. */
export const plainCall = (message: JSONRPCMessage, era: Era): ToolCall | undefined => {
  if (!("method" in message) || message.method !== "tools/call" || !("id" in message)) return undefined
  const { id, params } = message
  if (params === undefined || eraOf(message) !== era) return undefined
  const { name, arguments: given } = params as RawArguments
  if (typeof name !== "string" || !(given === undefined || isObject(given))) return undefined
  for (const key in params) if (!callKeys.has(key)) return undefined
  const meta = metaOf(message)
  if (era === "legacy") return callOf({ id, name, given }, meta, undefined)
  return declares(meta!) ? callOf({ id, name, given }, meta, meta![CAPABILITIES_KEY]) : undefined
}

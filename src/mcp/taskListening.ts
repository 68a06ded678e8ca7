/**
 * Subscriptions to tasks (`taskIds` of `subscriptions/listen`), over an SDK that only knows subscriptions to resources: in the request each task id
 * becomes a resource's address, and the SDK's notifications for such an address become `notifications/tasks`. Pure. Guarantees: no other message is
 * changed.
 */
import type { JSONRPCMessage } from "@modelcontextprotocol/server"
import { field, type Id, isObject, isText } from "./message.ts"

export type Listen = Extract<JSONRPCMessage, { readonly method: string; readonly id: unknown }>

/** Is it a request to listen, whose response stays open? */
export const isListen = (message: JSONRPCMessage): message is Listen =>
  "method" in message && "id" in message && message.method === "subscriptions/listen"

const scheme = "k3-task:"

/** The address of a task for one listener. Each listener has addresses of its own. */
export const addressFor = (listener: Id, taskId: string): string => `${scheme}${taskId} ${listener}`

const taskIdIn = (address: unknown): string | undefined =>
  isText(address) && address.startsWith(scheme) ? address.slice(scheme.length).split(" ")[0] : undefined

const listIn = (params: unknown, name: string): readonly string[] => {
  const asked = field(field(params, "notifications"), name)
  return Array.isArray(asked) ? asked.filter(isText) : []
}

/** The addresses of resources in a request to listen. */
export const addressesIn = (params: unknown): readonly string[] => listIn(params, "resourceSubscriptions")

/** The task ids in a request to listen, each once. */
export const taskIdsIn = (params: unknown): readonly string[] => [...new Set(listIn(params, "taskIds"))]

/** The request with addresses in place of task ids, for the SDK. */
export const withTasks = <Message extends Listen>(message: Message, listener: Id, taskIds: readonly string[]): Message => {
  const filter = message.params?.["notifications"]
  if (taskIds.length === 0 || !isObject(filter)) return message
  const { resourceSubscriptions: asked, taskIds: _, ...rest } = filter
  const addresses = taskIds.map((taskId) => addressFor(listener, taskId))
  const notifications = { ...rest, resourceSubscriptions: [...(Array.isArray(asked) ? (asked as unknown[]) : []), ...addresses] }
  return { ...message, params: { ...message.params, notifications } }
}

/** A message of the SDK with task ids in place of addresses, for the client. */
export const asTasks = (message: JSONRPCMessage): JSONRPCMessage => {
  if (!("method" in message)) return message
  const { method, params } = message
  if (method === "notifications/resources/updated" && isObject(params?.["task"])) {
    const { uri: _, task, ...rest } = params
    return { ...message, method: "notifications/tasks", params: { ...(task as object), ...rest } }
  }
  if (method !== "notifications/subscriptions/acknowledged" || !isObject(params?.["notifications"])) return message
  const { resourceSubscriptions, ...rest } = params["notifications"] as { readonly resourceSubscriptions?: readonly string[] }
  const taskIds = (resourceSubscriptions ?? []).flatMap((address) => taskIdIn(address) ?? [])
  if (taskIds.length === 0) return message
  const others = resourceSubscriptions!.filter((address) => taskIdIn(address) === undefined)
  const notifications = { ...rest, ...(others.length > 0 && { resourceSubscriptions: others }), taskIds }
  return { ...message, params: { ...params, notifications } }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const frame = /^event: message\ndata: (.*)\n\n$/s

/** Applies `asTasks` to a stream of the SDK, which sends one message per chunk. */
export const streamAsTasks = (response: Response): Response => {
  const rewritten = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, to) => {
      const [, text] = frame.exec(decoder.decode(chunk)) ?? []
      to.enqueue(
        text === undefined
          ? chunk
          : encoder.encode(`event: message\ndata: ${JSON.stringify(asTasks(JSON.parse(text) as JSONRPCMessage))}\n\n`),
      )
    },
  })
  return response.body === null ? response : new Response(response.body.pipeThrough(rewritten), response)
}

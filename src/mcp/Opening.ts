/**
 * The layer between transport and SDK. It answers a plain first message at once and holds all messages until the SDK is loaded, which takes
 * longer than everything else together. Guarantees: the SDK gets every message in order, the answered one too, so that it knows the era and
 * the client. The SDK's own reply to that message is dropped; a test holds both replies to be equal. Does not: answer an unusual first message; the
 * SDK does.
 */
import type { JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/server"
import { capabilitiesIn } from "./capabilities.ts"
import { instructions } from "./instructions.ts"
import {
  CAPABILITIES_KEY,
  CLIENT_KEY,
  type Fields,
  type Id,
  isLegacyVersion,
  isObject,
  MODERN_VERSION,
  namesClient,
  SERVER_KEY,
  VERSION_KEY,
} from "./message.ts"
import type { StdioTransport } from "./StdioTransport.ts"

export type Identity = { readonly name: string; readonly version: string }

/** The result of a plain `initialize` or `server/discover`; undefined for any other message, which is left to the SDK. */
const greeting = (method: string, params: Fields | undefined, serverInfo: Identity) => {
  if (params === undefined) return undefined
  const { protocolVersion, capabilities: abilities, clientInfo, _meta: meta } = params
  if (method === "initialize") {
    const plain = Object.keys(params).length === 3 && isObject(abilities) && namesClient(clientInfo) && isLegacyVersion(protocolVersion)
    return plain ? { protocolVersion, capabilities: capabilitiesIn("legacy"), serverInfo, instructions } : undefined
  }
  if (method !== "server/discover" || Object.keys(params).length !== 1 || !isObject(meta)) return undefined
  const plain = meta[VERSION_KEY] === MODERN_VERSION && isObject(meta[CAPABILITIES_KEY]) && namesClient(meta[CLIENT_KEY])
  return plain && Object.keys(meta).length === 3
    ? {
        supportedVersions: [MODERN_VERSION],
        capabilities: capabilitiesIn("modern"),
        instructions,
        resultType: "complete" as const,
        ttlMs: 0,
        cacheScope: "private",
        _meta: { [SERVER_KEY]: serverInfo },
      }
    : undefined
}

export class Opening implements Transport {
  onclose: (() => void) | undefined
  onerror: ((error: Error) => void) | undefined
  onmessage: ((message: JSONRPCMessage) => void) | undefined
  /** Changes a message of the SDK before it is sent. */
  outgoing: (message: JSONRPCMessage) => JSONRPCMessage = (message) => message
  /** The messages that arrived before `start`; undefined after it. */
  private held: JSONRPCMessage[] | undefined = []
  /** The id of the request that was answered here, until the SDK answers it as well. */
  private answered: Id | undefined

  constructor(
    private readonly transport: StdioTransport,
    private readonly identity: Identity,
    /** Called at the first message, after the reply to it if it was plain. Loads the SDK. */
    private readonly load: () => void,
  ) {
    transport.onmessage = (message) => this.receive(message)
    transport.onclose = () => this.onclose?.()
    transport.onerror = (error) => this.onerror?.(error)
  }

  /**
   * Called by the SDK when it is ready: hands it the held messages. The transport's `intercept` gets each of them first, as it gets later messages.
   */
  start(): Promise<void> {
    const held = this.held ?? []
    this.held = undefined
    for (const message of held) if (this.transport.intercept?.(message) !== true) this.onmessage?.(message)
    return Promise.resolve()
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!("method" in message) && message.id !== undefined && message.id === this.answered) {
      this.answered = undefined
      return Promise.resolve()
    }
    return this.transport.send(this.outgoing(message), options)
  }

  close(): Promise<void> {
    return this.transport.close()
  }

  private receive(message: JSONRPCMessage): void {
    if (this.held === undefined) return this.onmessage?.(message)
    this.held.push(message)
    if (this.held.length > 1) return
    if ("method" in message && "id" in message) {
      const result = greeting(message.method, message.params, this.identity)
      if (result !== undefined) {
        this.answered = message.id
        void this.transport.send({ jsonrpc: "2.0", id: message.id, result })
      }
    }
    this.load()
  }
}

/**
 * Answers a client's first message at once, and holds what follows until the SDK is there: the SDK takes longer to load than everything
 * else together. It stays between the transport and the SDK. Guarantees: the SDK gets every message in order, including the answered one, so
 * that it knows the era and the client; its own reply to that one, which a test holds to be the same, is not sent. Does not: answer an opening that is anything but plain; the SDK judges those.
 */
import type { JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/server"
import { capabilitiesIn } from "./capabilities.ts"
import { instructions } from "./instructions.ts"
import { CAPABILITIES_KEY, CLIENT_KEY, type Id, isObject, MODERN_VERSION, SERVER_KEY, VERSION_KEY } from "./message.ts"
import type { StdioTransport } from "./StdioTransport.ts"

/** Versions opened with `initialize` that are answered here; others are the SDK's to negotiate. */
const legacyVersions: ReadonlySet<unknown> = new Set(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])

export type Identity = { readonly name: string; readonly version: string }
type Fields = { readonly [key: string]: unknown }

const namesClient = (client: unknown): boolean =>
  isObject(client) && Object.values(client).every((each) => typeof each === "string") && "name" in client && "version" in client

/** The result of a plain `initialize` or `server/discover`; undefined for whatever the SDK should judge. */
const greeting = (method: string, params: Fields | undefined, serverInfo: Identity) => {
  if (params === undefined) return undefined
  const { protocolVersion, capabilities: abilities, clientInfo, _meta: meta } = params
  if (method === "initialize") {
    const plain = Object.keys(params).length === 3 && isObject(abilities) && namesClient(clientInfo) && legacyVersions.has(protocolVersion)
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
  /** How a message of the SDK is sent. */
  outgoing: (message: JSONRPCMessage) => JSONRPCMessage = (message) => message
  /** What came before the SDK did; undefined since. */
  private held: JSONRPCMessage[] | undefined = []
  /** The request that was answered here and not yet by the SDK. */
  private answered: Id | undefined

  constructor(
    private readonly transport: StdioTransport,
    private readonly identity: Identity,
    /** The first message is there, and answered if it is plain: time to load the SDK. */
    private readonly load: () => void,
  ) {
    transport.onmessage = (message) => this.receive(message)
    transport.onclose = () => this.onclose?.()
    transport.onerror = (error) => this.onerror?.(error)
  }

  /** The SDK is there. */
  start(): Promise<void> {
    const held = this.held ?? []
    this.held = undefined
    for (const message of held) this.onmessage?.(message)
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

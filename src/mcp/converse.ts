/**
 * The conversation with a client on stdio, in both protocol eras. The SDK negotiates, lists and answers pings. `ToolCalls.ts` answers
 * `tools/call`; once the era is known, the transport gives such requests to it directly.
 */
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import * as Effect from "effect/Effect"
import type { Sessions } from "../session/Sessions.ts"
import type { Settings } from "../Settings.ts"
import type { Telemetry } from "../Telemetry.ts"
import type { Bridge } from "./bridge.ts"
import type { Audience } from "./Audience.ts"
import type { Identity, Opening } from "./Opening.ts"
import type { Registry } from "./Registry.ts"
import { makeServer, type ServerParts } from "./server.ts"
import type { ConnectionFacts } from "./ConnectionFacts.ts"
import type { StdioTransport } from "./StdioTransport.ts"
import { asTasks } from "./taskListening.ts"
import { ToolCalls } from "./ToolCalls.ts"
import { tracedTask } from "./tracedCall.ts"
import { Updates } from "./Updates.ts"

interface Parts {
  readonly bridge: Bridge<Sessions | Settings>
  readonly registry: Registry
  readonly audience: Audience
  readonly telemetry: Telemetry | undefined
  readonly transport: StdioTransport
  readonly opening: Opening
  readonly identity: Identity
  /** Its `protocol` is set when the protocol version is negotiated. */
  readonly facts: ConnectionFacts
  /** Called at each call of a tool. */
  readonly onCall: () => void
}

/** Starts the SDK on `opening`, and the calls of tools on the transport. */
export const converse = ({
  bridge,
  registry,
  audience,
  telemetry,
  transport,
  opening,
  identity,
  facts,
  onCall,
}: Parts): { readonly close: () => Promise<void> } => {
  const updates = new Updates(bridge, {
    forward: (message) => transport.onmessage?.(message),
    refuse: (id, error) => void transport.send({ jsonrpc: "2.0", id, error: { ...error } }),
  })
  audience.join(updates)
  opening.outgoing = asTasks
  const calls = new ToolCalls({ bridge, registry, telemetry, transport, identity, called: audience.called })
  transport.intercept = (message) => {
    if ("method" in message && message.method === "tools/call") onCall()
    const isHeld = updates.receive(message)
    return calls.take(message) || isHeld
  }
  const log = (error: Error): void => void bridge.fork(Effect.logDebug(`protocol: ${error.message}`))
  return serveStdio(
    ({ era }) => {
      const answer: ServerParts["answer"] = (call, _, server) => {
        calls.open(era)
        facts.protocol = server.getNegotiatedProtocolVersion()
        return calls.answer(call)
      }
      const task: ServerParts["task"] = (method, work, { _meta: meta }) => tracedTask(telemetry, method, meta?.["traceparent"], work)
      const server = makeServer({ bridge, registry, identity, answer, task, updates }, era)
      updates.attach(server, era)
      return server
    },
    { transport: opening, onerror: log },
  )
}

/**
 * The conversation with a client on stdio, in both protocol eras. The SDK negotiates, lists and answers pings. `ToolCalls.ts` answers
 * `tools/call`; once the era is known, the transport gives such requests to it directly.
 */
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import * as Effect from "effect/Effect"
import type { Connection } from "./connection.ts"
import type { Space } from "./Space.ts"
import { makeServer, type ServerParts } from "./server.ts"
import type { ConnectionFacts } from "./ConnectionFacts.ts"
import { asTasks } from "./taskListening.ts"
import { ToolCalls } from "./ToolCalls.ts"
import { Updates } from "./Updates.ts"

interface Parts extends Connection, Space {
  /** Its `protocol` is set when the protocol version is negotiated. */
  readonly facts: ConnectionFacts
  /** Called at each call of a tool. */
  readonly onCall: () => void
}

/** Starts the SDK on `opening`, and the calls of tools on the transport. */
export const converse = (parts: Parts): { readonly close: () => Promise<void> } => {
  const { bridge, audience, transport, opening, facts, onCall } = parts
  const updates = new Updates(bridge, {
    forward: (message) => transport.onmessage?.(message),
    refuse: (id, error) => void transport.send({ jsonrpc: "2.0", id, error: { ...error } }),
  })
  audience.join(updates)
  opening.outgoing = asTasks
  const calls = new ToolCalls(parts)
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
      const server = makeServer({ ...parts, answer, updates }, era)
      updates.attach(server, era)
      return server
    },
    { transport: opening, onerror: log },
  )
}

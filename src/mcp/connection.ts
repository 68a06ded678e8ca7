/**
 * The connection with the client on stdio, made before Effect and the SDK are loaded. Guarantees: a plain first message is answered at once, and
 * every message is held until `McpHost.serve` takes over. Does not: import Effect's runtime or the SDK's code, itself or through its imports:
 * hosts start servers only to read their name and capabilities, and wait for that reply.
 */
import { type Identity, Opening } from "./Opening.ts"
import { StdioTransport, type Streams } from "./StdioTransport.ts"

export interface Connection {
  readonly transport: StdioTransport
  readonly opening: Opening
  readonly identity: Identity
}

/** How long a call may still run after the end of input, ms: enough for a pipeline on a busy machine. A host that leaves sends a signal, or is gone. */
const END_PATIENCE = 10_000

/** Starts reading. `onFirst` is called at the first message, after the reply to it if it was plain. */
export const connect = (streams: Streams, identity: Identity, onFirst: () => void): Connection => {
  const transport = new StdioTransport(streams, (giveUp) => {
    // Not `unref`: this timer may be all that keeps the process running.
    setTimeout(giveUp, END_PATIENCE)
  })
  const opening = new Opening(transport, identity, onFirst)
  void transport.start()
  return { transport, opening, identity }
}

/**
 * A client on a pair of streams, before anything else is loaded: its first message is answered here when it is plain, and everything it
 * sends is held for what `McpHost.serve` loads behind that reply. A host starts servers only to ask what they are, and waits for it; so
 * neither this file nor what it imports may need Effect's runtime or the SDK's code.
 */
import { type Identity, Opening } from "./Opening.ts"
import { StdioTransport, type Streams } from "./StdioTransport.ts"

export interface Connection {
  readonly transport: StdioTransport
  readonly opening: Opening
  readonly identity: Identity
}

/** How long a call may still run after the end of input, in ms: a piped request gets its reply, and a host that leaves does not wait. */
const END_PATIENCE = 1000

/** Reads from now on; `onFirst` hears of the first message, which is answered already if it was plain. */
export const connect = (streams: Streams, identity: Identity, onFirst: () => void): Connection => {
  const transport = new StdioTransport(streams, (giveUp) => {
    // The last thing that keeps the process may be this very wait.
    setTimeout(giveUp, END_PATIENCE)
  })
  const opening = new Opening(transport, identity, onFirst)
  void transport.start()
  return { transport, opening, identity }
}

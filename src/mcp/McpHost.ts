/**
 * Serves MCP to one client over stdio until the client is gone. A plain opening is answered here and now, the conversation loaded behind
 * the reply (Opening.ts, converse.ts).
 * Guarantees: `serve` ends when either stream does, having interrupted every call and written what was due; nothing is launched before
 * a tool needs it; `tools/list` and `ping` wait for no session. Does not: touch the process's streams (see `StdioStreams`) or signals.
 */
import * as Effect from "effect/Effect"
import type { Sessions } from "../session/Sessions.ts"
import type { Settings } from "../Settings.ts"
import * as Bridge from "./bridge.ts"
import { Opening } from "./Opening.ts"
import { StdioStreams, StdioTransport } from "./StdioTransport.ts"

/** What is waited for the last replies to be read by a client that has closed our input. */
const FLUSH_WAIT = "500 millis"

/** What a call still running at the end of input is waited for: a request piped in gets its reply, and a host that leaves is not held up. */
const END_PATIENCE = "1 second"

export const serve = ({ version }: { readonly version: string }): Effect.Effect<void, never, Sessions | Settings | StdioStreams> =>
  Effect.gen(function* () {
    const bridge = Bridge.make(yield* Effect.context<Sessions | Settings>())
    const transport = new StdioTransport(yield* StdioStreams, (giveUp) => void bridge.start(Effect.sleep(END_PATIENCE), giveUp))
    const identity = { name: "k3-mcp", version }
    let conversation: Promise<{ readonly close: () => Promise<void> }> | undefined
    const opening = new Opening(transport, identity, () => {
      conversation = import("./converse.ts").then(({ converse }) => converse(bridge, transport, opening, identity))
    })
    const close = async (): Promise<void> => (await conversation)?.close()
    yield* Effect.promise(() => transport.start())
    yield* Effect.promise(() => transport.over).pipe(Effect.ensuring(Effect.promise(close)), Effect.ensuring(Effect.sync(bridge.stop)))
    yield* Effect.timeoutOption(
      Effect.promise(() => transport.flushed()),
      FLUSH_WAIT,
    )
  })

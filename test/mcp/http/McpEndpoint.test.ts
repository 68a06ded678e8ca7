/** The MCP endpoint for one credential, over fake sessions. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { expect, it } from "vitest"
import { limits } from "../../../src/limits.ts"
import { Audience } from "../../../src/mcp/Audience.ts"
import { McpEndpoint } from "../../../src/mcp/http/McpEndpoint.ts"
import { Registry } from "../../../src/mcp/Registry.ts"
import { Sessions } from "../../../src/session/Sessions.ts"
import { headOf, metaOf } from "../../lib/modernRequest.ts"
import { fakeLayer } from "../fakeSessions.ts"
import { posted } from "./posted.ts"

const listen = (resourceSubscriptions: readonly string[]) => ({
  jsonrpc: "2.0" as const,
  id: 1,
  method: "subscriptions/listen",
  params: {
    notifications: { resourceSubscriptions },
    _meta: metaOf(),
  },
})

const asking = (isOver: boolean) => posted(headOf("subscriptions/listen"), isOver)

it("G9: a request to listen that is over before its check begins holds no places", () =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const context = yield* Layer.build(fakeLayer())
        const { definitions } = Context.get(context, Sessions)
        const endpoint = new McpEndpoint({
          space: {
            bridge: { fork: Effect.runForkWith(context), promise: Effect.runPromiseWith(context) },
            registry: new Registry(definitions),
            audience: new Audience(definitions),
            telemetry: undefined,
          },
          name: undefined,
          credential: "local",
          isReadOnly: false,
          identity: { name: "k3-mcp", version: "0" },
          facts: { server: "0" },
          settings: { httpSessions: 10 },
          sign: () => "s",
          mount: undefined,
        })
        const all = Array.from({ length: limits.watched }, () => "k3://status")
        yield* Effect.ignore(Effect.tryPromise(() => endpoint.post(asking(true), listen(all))))
        const { type } = yield* Effect.promise(() => endpoint.post(asking(false), listen(all)))
        expect(type).toBe("text/event-stream")
        yield* Effect.promise(() => endpoint.close())
      }),
    ),
  ))

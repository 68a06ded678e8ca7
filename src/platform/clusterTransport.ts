/**
 * The way between the machines of a cluster: TLS in which both sides prove that they know a secret (TLS-PSK), which all machines read from
 * the database. Guarantees: who does not know it gets no byte in or out; what passes is encrypted, each connection under keys of its own.
 * Does not: keep out who can read the database.
 */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import * as Runners from "effect/cluster/Runners"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as RpcClient from "effect/rpc/RpcClient"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import { Socket } from "effect/socket/Socket"
import { timingSafeEqual } from "node:crypto"

export type Secret = Redacted.Redacted<Uint8Array>

const identity = "k3-mcp"
/** The only kind of TLS with a secret and keys of each connection's own that Node has. */
const suite = { ciphers: "ECDHE-PSK-CHACHA20-POLY1305", minVersion: "TLSv1.2", maxVersion: "TLSv1.2" } as const
const openWithin = 1000
/** A request is one small packet, and waits for no other. */
const atOnce = { noDelay: true }

/** Is it the name under which the secret is known? Compared without telling by the time it takes how much of it is right. */
const isOurs = (named: string): boolean => {
  const [a, b] = [Buffer.from(named), Buffer.from(identity)]
  return a.length === b.length && timingSafeEqual(a, b)
}

export const listening = (at: { readonly host: string; readonly port: number }, secret: Secret) =>
  NodeSocketServer.layerTls({
    ...at,
    ...suite,
    ...atOnce,
    pskCallback: (_socket, named) => (isOurs(named) ? Redacted.value(secret) : null),
  })

export const calling = (secret: Secret): Layer.Layer<Runners.RpcClientProtocol, never, RpcSerialization.RpcSerialization> =>
  Layer.effect(
    Runners.RpcClientProtocol,
    Effect.gen(function* () {
      const serialization = yield* RpcSerialization.RpcSerialization
      return {
        codecFor: serialization.codecFor,
        make: ({ host, port }) =>
          Effect.gen(function* () {
            const socket = yield* NodeSocket.makeTls({
              host,
              port,
              ...suite,
              ...atOnce,
              openTimeout: openWithin,
              pskCallback: () => ({ psk: Redacted.value(secret), identity }),
              // The secret proves who answers; there is no certificate.
              checkServerIdentity: () => undefined,
            })
            return yield* Effect.provideService(RpcClient.makeProtocolSocket(), Socket, socket)
          }).pipe(Effect.provideService(RpcSerialization.RpcSerialization, serialization)),
      }
    }),
  )

/**
 * The connections between the machines of a cluster: TLS in which both sides prove that they know a secret (TLS-PSK), which all machines read from
 * the database. Guarantees: without the secret no byte gets in or out; all data is encrypted, each connection with keys of its own.
 * Does not: keep out a person who can read the database.
 */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import * as Runners from "effect/cluster/Runners"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as RpcClient from "effect/rpc/RpcClient"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import { Socket, SocketError, SocketOpenError } from "effect/socket/Socket"
import { SocketServer } from "effect/socket/SocketServer"
import { connect, type TLSSocket } from "node:tls"

export type SharedSecret = Redacted.Redacted<Uint8Array>

/** The identity that belongs to the secret. */
const identity = "k3-mcp"
/** The only cipher suite of Node with a shared secret and keys for each connection. */
const suite = { ciphers: "ECDHE-PSK-CHACHA20-POLY1305", minVersion: "TLSv1.2", maxVersion: "TLSv1.2" } as const
const openWithin = 1000
/** No limit of listeners: each message that waits for room in the connection adds a listener, and many of them are no leak. */
const anyNumber = 0
/** A request is one small packet and must not wait for more data. */
const atOnce = { noDelay: true }

/**
 * A server for the connections of other machines. Node ends a closing server after its last connection, and Effect closes no connection that
 * arrives during the close. So the finalizer, which runs before Effect's, refuses new connections and destroys the present ones.
 * `handshakeTimeout` ends a connection whose client has not completed its handshake, so that the close does not wait for that client.
 */
export const listening = (at: { readonly host: string; readonly port: number }, secret: SharedSecret) =>
  Layer.effect(
    SocketServer,
    Effect.gen(function* () {
      const connected = new Set<TLSSocket>()
      let isClosing = false
      const server = yield* NodeSocketServer.makeTls({
        ...at,
        ...suite,
        ...atOnce,
        handshakeTimeout: openWithin,
        pskCallback: (socket, named) => {
          if (isClosing || named !== identity) return null
          connected.add(socket.setMaxListeners(anyNumber).once("close", () => connected.delete(socket)))
          return Redacted.value(secret)
        },
      })
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          isClosing = true
          for (const socket of connected) socket.destroy()
        }),
      )
      return server
    }),
  )

/** A connection to a machine, opened with the first read. */
export const socketTo = (at: { readonly host: string; readonly port: number }, secret: SharedSecret) => {
  const open = Effect.gen(function* () {
    let isOpen = false
    const socket = yield* Effect.acquireRelease(
      Effect.sync(() =>
        connect({
          ...at,
          ...suite,
          ...atOnce,
          pskCallback: () => ({ psk: Redacted.value(secret), identity }),
          // There is no certificate: the secret authenticates the other machine.
          checkServerIdentity: () => undefined,
        }).setMaxListeners(anyNumber),
      ),
      // Written data is sent before the connection ends, unless the connection never opened.
      (made) => Effect.sync(() => (isOpen ? made.destroySoon() : made.destroy())),
    )
    return yield* Effect.callback<TLSSocket, SocketError>((resume) => {
      socket.once("secureConnect", () => {
        isOpen = true
        resume(Effect.succeed(socket))
      })
      socket.on("error", (cause) => resume(Effect.fail(new SocketError({ reason: new SocketOpenError({ kind: "Unknown", cause }) }))))
    })
  })
  return NodeSocket.fromDuplex(open, { openTimeout: openWithin })
}

export const calling = (secret: SharedSecret): Layer.Layer<Runners.RpcClientProtocol, never, RpcSerialization.RpcSerialization> =>
  Layer.effect(
    Runners.RpcClientProtocol,
    Effect.gen(function* () {
      const serialization = yield* RpcSerialization.RpcSerialization
      return {
        codecFor: serialization.codecFor,
        make: ({ host, port }) =>
          Effect.gen(function* () {
            const socket = yield* socketTo({ host, port }, secret)
            return yield* Effect.provideService(RpcClient.makeProtocolSocket(), Socket, socket)
          }).pipe(Effect.provideService(RpcSerialization.RpcSerialization, serialization)),
      }
    }),
  )

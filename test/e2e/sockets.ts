/** Requests over HTTP written byte by byte on a connection, for clients that do what no library does. */
import { connect as connectSocket, type Socket } from "node:net"
import { onTestFinished } from "vitest"
import { metaOf, version } from "../lib/modernRequest.ts"
import type { Listening } from "./listening.ts"

/** A connection to the server, perhaps not open yet; the test's end closes it. */
export const socketTo = ({ url }: Pick<Listening, "url">): Socket => {
  const socket = connectSocket(Number(new URL(url).port), "127.0.0.1")
  onTestFinished(() => void socket.destroy())
  return socket
}

export const opened = async (to: Pick<Listening, "url">): Promise<Socket> => {
  const socket = socketTo(to)
  await new Promise<void>((resolve) => void socket.once("connect", resolve))
  return socket
}

/** All data that the connection receives until it is closed. */
export const textOf = async (socket: Socket): Promise<string> => {
  let text = ""
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
  await new Promise<void>((resolve) => void socket.on("error", () => {}).once("close", resolve))
  return text
}

/** The head of a request for a tool, in the modern era; `body` is to follow. */
export const raw = (to: Pick<Listening, "token">, body: string) =>
  `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${to.token}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: ${version}\r\nMcp-Method: tools/call\r\nMcp-Name: k_eval\r\nContent-Length: ${body.length}\r\n\r\n`

/** The body of a call of `k_eval`, in the modern era. */
export const modern = (code: string, rest: object = {}) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name: "k_eval",
      arguments: { code, ...rest },
      _meta: metaOf(),
    },
  })

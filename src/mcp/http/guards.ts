/**
 * What keeps a request over HTTP from being heard, judged on its head alone, before any of its body is read: host, origin, token, place,
 * size, in that order. Pure. Guarantees: who has no token learns nothing but that one is needed; each refusal says in words what would be
 * heard.
 */
import { localhostAllowedHostnames, localhostAllowedOrigins, validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server"
import { INVALID_REQUEST } from "../message.ts"
import type { Head, Refusal } from "./Listener.ts"

interface Rules {
  readonly isToken: (given: string) => boolean
  /** Bytes of a body. */
  readonly body: number
  /** It ends, and hears nothing new. */
  readonly ending: () => boolean
}

const place = "/mcp"
export const healthPlaces: ReadonlySet<string> = new Set(["/healthz", "/readyz"])

const bearer = /^Bearer ([^\s]{1,1000})$/i

const unauthorized = (message: string): Refusal => ({
  status: 401,
  message: `${message} k3-mcp token show prints the token; k3-mcp --print-registration shows how a host sends it.`,
  headers: [["www-authenticate", 'Bearer realm="k3-mcp", error="invalid_token"']],
})

export const judge = ({ method, path, header }: Head, { isToken, body, ending }: Rules): Refusal | undefined => {
  const host = validateHostHeader(header("host"), localhostAllowedHostnames())
  if (!host.ok) return { status: 403, message: `Host is refused: use ${localhostAllowedHostnames().join(", ")}.` }
  const origin = validateOriginHeader(header("origin"), localhostAllowedOrigins())
  if (!origin.ok) return { status: 403, message: "Origin is refused: only pages of this machine may ask." }
  if (healthPlaces.has(path)) return undefined
  const authorization = header("authorization")
  if (authorization === undefined) return unauthorized("A token is needed: Authorization: Bearer TOKEN.")
  if (!isToken(bearer.exec(authorization)?.[1] ?? "")) return unauthorized("The token is not right.")
  if (path !== place) return { status: 404, message: `There is nothing here. MCP is at ${place}.` }
  if (!["POST", "GET", "DELETE"].includes(method))
    return { status: 405, message: "MCP takes POST, GET and DELETE.", headers: [["allow", "POST, GET, DELETE"]] }
  if (ending()) return { status: 503, message: "The server is ending. Ask again in a moment.", headers: [["retry-after", "1"]] }
  if (Number(header("content-length") ?? 0) > body) return tooLarge(body)
  return undefined
}

export const tooLarge = (body: number): Refusal => ({ status: 413, message: `A body may have at most ${body} bytes (K3_HTTP_BODY).` })

/** As the clients of MCP read it. */
export const refusalBody = ({ message }: Refusal, code = INVALID_REQUEST, id?: string | number): string =>
  JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: id ?? null })

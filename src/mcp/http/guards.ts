/**
 * What keeps a request over HTTP from being heard, judged on its head alone, before any of its body is read: host, origin, token, place,
 * size, limits, in that order. Guarantees: who has no token learns nothing but that one is needed; each refusal says in words what would be
 * heard.
 */
import { localhostAllowedHostnames, localhostAllowedOrigins, validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server"
import { INVALID_REQUEST } from "../message.ts"
import type { Authority, Head, Refusal } from "./Listener.ts"
import { isPagePlace } from "./PageFace.ts"
import type { Principal } from "./Principal.ts"

interface Origins {
  readonly issuer: string | undefined
  /** The address of a proxy before the server. */
  readonly publicUrl: string | null
}

interface Rules extends Origins {
  readonly admit: Authority["admit"]
  /** Beyond loopback a server is also reached by its address, which no page can have as a name of its own. */
  readonly isLoopback: boolean
  /** Bytes of a body. */
  readonly body: number
  /** It ends, and hears nothing new. */
  readonly ending: () => boolean
  /** What the principal has too much of. */
  readonly excess: (principal: Principal) => Refusal | undefined
}

const place = "/mcp"
const healthPlaces: ReadonlySet<string> = new Set(["/healthz", "/readyz"])

/** Where a client reads which issuer it needs a token of (RFC 9728). */
const metadataPlace = "/.well-known/oauth-protected-resource"
export const isMetadata = (path: string): boolean => path === metadataPlace || path === `${metadataPlace}${place}`

const bearer = /^Bearer ([^\s]{1,16000})$/i

const unauthorized = (message: string, head: Head, { issuer, publicUrl }: Origins): Refusal => {
  const fields = [
    'realm="k3-mcp"',
    ...(head.header("authorization") === undefined ? [] : ['error="invalid_token"']),
    ...(issuer === undefined ? [] : [`resource_metadata="${baseOf(head, publicUrl)}${metadataPlace}${place}"`]),
  ]
  const hint = "k3-mcp token show prints the token of this machine; k3-mcp --print-registration shows how a host sends it."
  return { status: 401, message: `${message} ${hint}`, headers: [["www-authenticate", `Bearer ${fields.join(", ")}`]] }
}

/** By which address clients reach the server. */
const baseOf = ({ header }: Head, publicUrl: string | null): string =>
  publicUrl === null ? `http://${header("host")}` : publicUrl.replace(/(?:\/mcp)?\/?$/, "")

/** What a client needs to get a token. */
export const metadata = (head: Head, { issuer, publicUrl }: Origins): string =>
  JSON.stringify({
    resource: `${baseOf(head, publicUrl)}${place}`,
    authorization_servers: [issuer],
    bearer_methods_supported: ["header"],
    resource_name: "k3-mcp",
  })

/** An address, with its port or without; pages have names, and cannot make one of these theirs. */
const isAddress = (host: string): boolean => /^(?:(?:\d{1,3}\.){3}\d{1,3}|\[[\da-f:.]+\])(?::\d+)?$/i.test(host)

const misdirected = ({ header }: Head, { publicUrl, isLoopback }: Rules): Refusal | undefined => {
  const publicHost = publicUrl === null ? undefined : new URL(publicUrl).hostname
  const names = [...localhostAllowedHostnames(), ...(publicHost === undefined ? [] : [publicHost])]
  const host = header("host")
  if (!validateHostHeader(host, names).ok && (isLoopback || !isAddress(host ?? "")))
    return { status: 403, message: `Host is refused: use ${names.join(", ")}${isLoopback ? "" : ", or the address"}.` }
  const origins = [...localhostAllowedOrigins(), ...(publicHost === undefined ? [] : [publicHost])]
  if (validateOriginHeader(header("origin"), origins).ok) return undefined
  return { status: 403, message: "Origin is refused: only pages of this machine, and of K3_PUBLIC_URL, may ask." }
}

const notAllowed = (methods: string): Refusal => ({ status: 405, message: `This place takes ${methods}.`, headers: [["allow", methods]] })

/** Whom it acts for, or why it is not heard; undefined for one that needs nobody. */
export const judge = async (head: Head, rules: Rules): Promise<Principal | Refusal | undefined> => {
  const { method, path, header } = head
  const wrong = misdirected(head, rules)
  if (wrong !== undefined) return wrong
  if (isPagePlace(path)) return ["GET", "HEAD"].includes(method) ? undefined : notAllowed("GET, HEAD")
  if (healthPlaces.has(path) || (rules.issuer !== undefined && isMetadata(path))) return undefined
  const principal = await admitted(head, rules)
  if ("status" in principal) return principal
  if (path !== place) return { status: 404, message: `There is nothing here. MCP is at ${place}.` }
  if (!["POST", "GET", "DELETE"].includes(method)) return notAllowed("POST, GET, DELETE")
  if (rules.ending()) return { status: 503, message: "The server is ending. Ask again in a moment.", headers: [["retry-after", "1"]] }
  if (Number(header("content-length") ?? 0) > rules.body) return tooLarge(rules.body)
  return rules.excess(principal) ?? principal
}

/** Whose the token is that the head shows. */
export const admitted = async (head: Head, rules: Rules): Promise<Principal | Refusal> => {
  const authorization = head.header("authorization")
  if (authorization === undefined) return unauthorized("A token is needed: Authorization: Bearer TOKEN.", head, rules)
  const found = await rules.admit(bearer.exec(authorization)?.[1] ?? "")
  return "status" in found && found.status === 401 ? unauthorized(found.message, head, rules) : found
}

export const tooLarge = (body: number): Refusal => ({ status: 413, message: `A body may have at most ${body} bytes (K3_HTTP_BODY).` })

export const tooOften = (perMinute: number, seconds: number): Refusal => ({
  status: 429,
  message: `This token may make ${perMinute} calls a minute (calls). Ask again in ${seconds} s.`,
  headers: [["retry-after", String(seconds)]],
})

export const tooManyAtOnce = (share: number): Refusal => ({
  status: 429,
  message: `${share} requests of this principal are under way, which is its share of K3_HTTP_REQUESTS. Ask again when one is answered.`,
  headers: [["retry-after", "1"]],
})

/** As the clients of MCP read it. */
export const refusalBody = ({ message }: Refusal, code = INVALID_REQUEST, id?: string | number): string =>
  JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: id ?? null })

/**
 * Admits or refuses an HTTP request by its head, before the body is read: checks host, origin, token or cookie, path, size and limits, in that
 * order. Guarantees: a client without a token learns only that it needs one; a cookie is accepted only in requests of the page itself; each
 * refusal says which request would be admitted.
 */
import { localhostAllowedHostnames, localhostAllowedOrigins, validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server"
import { limits } from "../../limits.ts"
import { withoutMcp } from "../../settingKinds.ts"
import { type Fault, INVALID_REQUEST, jsonOf } from "../message.ts"
import { cookieIn, isOfPage } from "./cookie.ts"
import type { Authority, Head, HttpAnswer, Refusal } from "./Listener.ts"
import { assets, healthPlaces, isMetadata, loginPlace, logoutPlace, mcpPlace, metadataPlace } from "./places.ts"
import type { Principal } from "./Principal.ts"

interface Origins extends Pick<Authority, "issuer"> {
  /** The address of the proxy before the server, if there is one. */
  readonly publicUrl: string | null
}

export interface Rules extends Origins, Pick<Authority, "admit" | "recall"> {
  /** Is the server reachable only on loopback? If not, Host may be an IP address, which no page can have as its name. */
  readonly isLoopback: boolean
  /** The most bytes of a body. */
  readonly body: number
  /** Is the server shutting down? */
  readonly ending: () => boolean
  /** Waits for the principal's turn; then refuses the request if the principal is above a limit. */
  readonly excess: (principal: Principal) => Promise<Refusal | undefined>
}

const bearer = /^Bearer ([^\s]{1,16000})$/i

const unauthorized = (message: string, head: Head, { issuer, publicUrl, isLoopback }: Rules): Refusal => {
  const fields = [
    'realm="k3-mcp"',
    ...(head.header("authorization") === undefined ? [] : ['error="invalid_token"']),
    ...(issuer === undefined ? [] : [`resource_metadata="${baseOf(head, publicUrl)}${metadataPlace}${mcpPlace}"`]),
  ]
  const source = isLoopback
    ? "k3-mcp token show prints the token of this machine"
    : "k3-mcp token add NAME, on the server's machine, makes one"
  const hint = `${source}; k3-mcp --print-registration shows how a host sends it.`
  return { status: 401, message: `${message} ${hint}`, headers: [["www-authenticate", `Bearer ${fields.join(", ")}`]] }
}

/** The address at which clients reach the server. */
const baseOf = ({ header }: Head, publicUrl: string | null): string =>
  publicUrl === null ? `http://${header("host")}` : withoutMcp(publicUrl)

/** The metadata with which a client finds the issuer of tokens. */
export const metadata = (head: Head, { issuer, publicUrl }: Origins): HttpAnswer => ({
  status: 200,
  type: "application/json",
  headers: [["access-control-allow-origin", "*"]],
  body: JSON.stringify({
    resource: `${baseOf(head, publicUrl)}${mcpPlace}`,
    authorization_servers: [issuer],
    bearer_methods_supported: ["header"],
    resource_name: "k3-mcp",
  }),
})

/** Is it an IP address, with or without a port? No page can have such a name. */
const isAddress = (host: string): boolean => /^(?:(?:\d{1,3}\.){3}\d{1,3}|\[[\da-f:.]+\])(?::\d+)?$/i.test(host)

/** Is it a host and a port alone? The parser of URLs takes a user or a path beside them. */
const isHost = (host: string): boolean => /^[^\s/?#@\\]+$/.test(host) && URL.canParse(`http://${host}`)

const publicHost = ({ publicUrl }: Origins): readonly string[] => (publicUrl === null ? [] : [new URL(publicUrl).hostname])
/** The names of this machine for itself, and of the proxy before it. */
const hostNames = (rules: Origins): string[] => [...localhostAllowedHostnames(), ...publicHost(rules)]

const misdirected = ({ header }: Head, rules: Rules): Refusal | undefined => {
  const { isLoopback } = rules
  const names = hostNames(rules)
  const host = header("host") ?? ""
  if (!isHost(host) || (!validateHostHeader(host, names).ok && (isLoopback || !isAddress(host))))
    return { status: 403, message: `Host is refused: use ${names.join(", ")}${isLoopback ? "" : ", or the address"}.` }
  if (validateOriginHeader(header("origin"), [...localhostAllowedOrigins(), ...publicHost(rules)]).ok) return undefined
  return { status: 403, message: "Origin is refused: only pages of this machine, and of K3_PUBLIC_URL, may ask." }
}

export const serverEnds: Refusal = { status: 503, message: "The server is ending. Ask again in a moment.", headers: [["retry-after", "1"]] }
const notOfPage: Refusal = { status: 403, message: "The login of a browser counts for the page of this server alone." }
const loginIsOver: Refusal = { status: 401, message: "The login of this browser is over. Run k3-mcp open again." }
/** Refuses the methods that a place does not take. */
const otherMethod = ({ method }: Head, ...methods: readonly string[]): Refusal | undefined => {
  const taken = methods.join(", ")
  return methods.includes(method) ? undefined : { status: 405, message: `This place takes ${taken}.`, headers: [["allow", taken]] }
}

const checkMcp = async (principal: Principal, head: Head, rules: Rules): Promise<Principal | Refusal> => {
  const wrong = otherMethod(head, "POST", "GET", "DELETE")
  if (wrong !== undefined) return wrong
  if (rules.ending()) return serverEnds
  if (Number(head.header("content-length") ?? 0) > rules.body) return tooLarge(rules.body)
  return (await rules.excess(principal)) ?? principal
}

/** Over plain HTTP, browsers take the page's login from this machine alone. */
const loginElsewhere = ({ header }: Head, rules: Rules): Refusal | undefined => {
  if (validateHostHeader(header("host"), hostNames(rules)).ok) return undefined
  const next =
    rules.publicUrl === null
      ? "the page needs HTTPS beyond the server's machine. Put a proxy that speaks TLS before the server and set K3_PUBLIC_URL to its address, or run k3-mcp open on the server's machine, with http://127.0.0.1 and the port."
      : `the page is at the address in K3_PUBLIC_URL. Run k3-mcp open ${rules.publicUrl}.`
  return { status: 403, message: `A browser cannot log in at http://${header("host")}: ${next}` }
}

/** The principal of a request for a login code, or its refusal. */
const checkInvitation = async (head: Head, rules: Rules): Promise<Principal | Refusal> => {
  const principal = await bearerOf(head, rules)
  return "status" in principal ? principal : (loginElsewhere(head, rules) ?? (await rules.excess(principal)) ?? principal)
}

/** The principal of the request, or its refusal; undefined for a path that needs no token. */
export const checkHead = async (head: Head, rules: Rules): Promise<Principal | Refusal | undefined> => {
  const { method, path } = head
  const wrong = misdirected(head, rules)
  if (wrong !== undefined) return wrong
  if (path === "/" || path.startsWith(assets)) return otherMethod(head, "GET", "HEAD")
  if (path === logoutPlace) return otherMethod(head, "POST") ?? (isOfPage(head, rules.publicUrl) ? undefined : notOfPage)
  if (path === loginPlace) return method === "POST" ? checkInvitation(head, rules) : otherMethod(head, "GET", "POST")
  if (healthPlaces.has(path) || (rules.issuer !== undefined && isMetadata(path))) return undefined
  const principal = await admitted(head, rules)
  if ("status" in principal) return principal
  if (path !== mcpPlace) return { status: 404, message: `There is nothing here. MCP is at ${mcpPlace}, a page for people at /.` }
  return checkMcp(principal, head, rules)
}

/** The principal of the token in the head. */
const bearerOf = async (head: Head, rules: Rules): Promise<Principal | Refusal> => {
  const authorization = head.header("authorization")
  if (authorization === undefined) return unauthorized("A token is needed: Authorization: Bearer TOKEN.", head, rules)
  const found = await rules.admit(bearer.exec(authorization)?.[1] ?? "")
  return "status" in found && found.status === 401 ? unauthorized(found.message, head, rules) : found
}

/** The principal of the token or cookie in the head. A cookie is accepted only in the page's own requests, or in all with `isOpening`. */
export const admitted = async (head: Head, rules: Rules, isOpening = false): Promise<Principal | Refusal> => {
  const cookie = head.header("authorization") === undefined ? cookieIn(head, rules.publicUrl) : undefined
  if (cookie === undefined) return bearerOf(head, rules)
  return isOpening || isOfPage(head, rules.publicUrl) ? ((await rules.recall(cookie)) ?? loginIsOver) : notOfPage
}

export const tooLarge = (body: number): Refusal => ({ status: 413, message: `A body may have at most ${body} bytes (K3_HTTP_BODY).` })

export const tooOften = (perMinute: number, seconds: number): Refusal => ({
  status: 429,
  message: `This token may make ${perMinute} calls a minute (calls). Ask again in ${seconds} s.`,
  headers: [["retry-after", String(seconds)]],
})

export const tooManyAtOnce = (share: number): Refusal => ({
  status: 429,
  message: `${share} requests of this principal are under way, which is its share of K3_HTTP_REQUESTS and K3_HTTP_CONNECTIONS. Ask again when one is answered.`,
  headers: [["retry-after", "1"]],
})

/** The most bytes of the bodies of all requests under way. */
export const ALL_BODIES = 4 * limits.requestBytes

export const tooMuchAtOnce: Refusal = {
  status: 429,
  message: `The bodies of requests under way exceed the limit: ${limits.requestBytes / 2 ** 20} MiB of one principal, ${ALL_BODIES / 2 ** 20} MiB of all. Ask again when one is answered.`,
  headers: [["retry-after", "1"]],
}

/** The refusal as the answer, for MCP clients. */
export const refusedAnswer = ({ status, message, headers = [] }: Refusal): HttpAnswer => ({
  ...refuse(status, { code: INVALID_REQUEST, message }),
  headers,
})

/** A JSON-RPC error as the answer. */
export const refuse = (status: number, { id, ...error }: Fault): HttpAnswer => ({
  status,
  type: "application/json",
  body: jsonOf({ jsonrpc: "2.0", error, id: id ?? null }),
})

/** The addresses that the server answers over HTTP. */

export const mcpPlace = "/mcp"
export const healthPlaces: ReadonlySet<string> = new Set(["/healthz", "/readyz"])

/** Where a client reads which issuer it needs a token of (RFC 9728). */
export const metadataPlace = "/.well-known/oauth-protected-resource"
export const isMetadata = (path: string): boolean => path === metadataPlace || path === `${metadataPlace}${mcpPlace}`

export const assets = "/assets/"
/** By POST a code for whoever has a token, by GET a cookie for whoever has a code. */
export const loginPlace = "/login"
export const logoutPlace = "/logout"

/** The paths that the server answers over HTTP. */

export const mcpPlace = "/mcp"
export const healthPlaces: ReadonlySet<string> = new Set(["/healthz", "/readyz"])

/** The path of the metadata that names the issuer of tokens (RFC 9728). */
export const metadataPlace = "/.well-known/oauth-protected-resource"
export const isMetadata = (path: string): boolean => path === metadataPlace || path === `${metadataPlace}${mcpPlace}`

export const assets = "/assets/"
/** POST with a token gives a code; GET with a code sets a cookie. */
export const loginPlace = "/login"
export const logoutPlace = "/logout"

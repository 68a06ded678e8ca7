/**
 * Verifies the JWTs of an OpenID or OAuth issuer. Guarantees: a token is valid only if one of the issuer's keys signed it, for this audience, and it
 * has not expired, with a tolerance of 30 s; a new key of the issuer is fetched. Does not: learn that a token was revoked before it expires; drop a
 * key that the issuer has withdrawn sooner than after ten minutes.
 */
import { createRemoteJWKSet, decodeJwt, errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from "jose"
import { sha256 } from "./secrets.ts"
import { withFallback } from "../repl/withFallback.ts"

/** The tolerated difference between clocks, s. */
const skew = 30
const keysKept = 10 * 60_000
/** The shortest time between two searches for an unknown key, ms. */
const lookEvery = 1000
const answerWithin = 5000

const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]

/** The subject of a valid token. */
export interface Subject {
  /** The name of its space, a hash of issuer and subject that can be a folder's name. */
  readonly space: string
  /** The name in the history. */
  readonly name: string
  /** The token's expiry, ms since 1970. */
  readonly until: number
}

export interface Issuer {
  /** `wrong`: the token is not valid; `unreachable`: the issuer does not answer. */
  readonly verify: (token: string) => Promise<Subject | "wrong" | "unreachable">
}

/** The addresses of an issuer's metadata: by OpenID at the end of its path, by RFC 8414 before its path, as some servers do for OpenID too. */
const metadataOf = (issuer: string): readonly string[] => {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, "")
  const [openid, oauth] = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"]
  return [...new Set([path + openid, oauth + path, openid + path, path + oauth])].map((each) => origin + each)
}

const keysAddress = async (issuer: string): Promise<URL> => {
  for (const place of metadataOf(issuer)) {
    const reply = await fetch(place, { signal: AbortSignal.timeout(answerWithin) })
    if (!reply.ok) continue
    // Some servers answer with a page where they have no metadata.
    const found: unknown = await reply.json().catch(() => undefined)
    const { issuer: own, jwks_uri: keys } = (found ?? {}) as { readonly issuer?: unknown; readonly jwks_uri?: unknown }
    if (own === issuer && typeof keys === "string") return new URL(keys)
  }
  throw new Error(`${issuer} does not say where its keys are`)
}

const subjectOf = (issuer: string, { sub, exp }: JWTPayload): Subject | "wrong" => {
  if (typeof sub !== "string" || sub === "" || exp === undefined) return "wrong"
  const digest = sha256(JSON.stringify([issuer, sub])).toString("hex")
  return { space: `jwt-${digest.slice(0, 28)}`, name: sub.replaceAll(/[^\w.-]/g, "_").slice(0, 64), until: exp * 1000 }
}

/** Does the token itself say that it has expired? No key is needed for that, so that it ends also while the issuer does not answer. */
const hasExpired = (token: string): boolean => {
  const exp = withFallback(() => decodeJwt(token).exp, undefined)
  return exp !== undefined && exp <= Date.now() / 1000 - skew
}

export const issuerOf = (issuer: string, audience: string): Issuer => {
  let found: Promise<JWTVerifyGetKey> | undefined
  const keys = (): Promise<JWTVerifyGetKey> =>
    (found ??= keysAddress(issuer).then(
      (address) => createRemoteJWKSet(address, { timeoutDuration: answerWithin, cooldownDuration: lookEvery, cacheMaxAge: keysKept }),
      (error: unknown) => {
        found = undefined
        throw error
      },
    ))
  return {
    verify: async (token) => {
      if (hasExpired(token)) return "wrong"
      let known: JWTVerifyGetKey
      try {
        known = await keys()
      } catch {
        return "unreachable"
      }
      try {
        const { payload } = await jwtVerify(token, known, {
          issuer,
          audience,
          algorithms,
          clockTolerance: skew,
          requiredClaims: ["sub", "exp"],
        })
        return subjectOf(issuer, payload)
      } catch (error) {
        // A failure to fetch keys does not make the token wrong.
        const isOurs = error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout) && error.code !== "ERR_JOSE_GENERIC"
        return isOurs ? "wrong" : "unreachable"
      }
    },
  }
}

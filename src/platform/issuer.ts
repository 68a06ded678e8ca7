/**
 * Tokens of an OpenID or OAuth issuer. Guarantees: a token counts only when one of the issuer's keys signed it, for this audience, and it has
 * not expired, give or take half a minute; a key that the issuer has since begun to use is fetched. Does not: hear that a token was withdrawn
 * before it expires; a key that the issuer no longer shows counts for ten minutes at most.
 */
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from "jose"
import { createHash } from "node:crypto"

/** Seconds that clocks may differ. */
const skew = 30
const keysKept = 10 * 60_000
/** Unknown keys are looked for no more often, ms. */
const lookEvery = 1000
const answerWithin = 5000

const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]

/** The issuer's subject. */
export interface Subject {
  /** A folder's name: the issuer and the subject as one. */
  readonly space: string
  /** For the history. */
  readonly name: string
  /** When the token expires, ms since 1970. */
  readonly until: number
}

export interface Issuer {
  /** `wrong`: the token is; `unreachable`: the issuer does not answer. */
  readonly verify: (token: string) => Promise<Subject | "wrong" | "unreachable">
}

const keysAddress = async (issuer: string): Promise<URL> => {
  const base = issuer.replace(/\/$/, "")
  for (const place of ["openid-configuration", "oauth-authorization-server"]) {
    const reply = await fetch(`${base}/.well-known/${place}`, { signal: AbortSignal.timeout(answerWithin) })
    if (!reply.ok) continue
    const { issuer: own, jwks_uri: keys } = (await reply.json()) as { readonly issuer?: unknown; readonly jwks_uri?: unknown }
    if (own === issuer && typeof keys === "string") return new URL(keys)
  }
  throw new Error(`${issuer} does not say where its keys are`)
}

const subjectOf = (issuer: string, { sub, exp }: JWTPayload): Subject | "wrong" => {
  if (typeof sub !== "string" || sub === "" || exp === undefined) return "wrong"
  const digest = createHash("sha256")
    .update(JSON.stringify([issuer, sub]))
    .digest("hex")
  return { space: `jwt-${digest.slice(0, 28)}`, name: sub.replaceAll(/[^\w.-]/g, "_").slice(0, 64), until: exp * 1000 }
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
        // Keys that cannot be fetched are no fault of the token.
        const isOurs = error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout) && error.code !== "ERR_JOSE_GENERIC"
        return isOurs ? "wrong" : "unreachable"
      }
    },
  }
}

/**
 * Who a token stands for: the person of this machine, the principal of a token that the operator made, or the subject of an issuer. Guarantees: the person's token
 * counts on loopback alone; a principal is served only where the operator named the folder of its root; a refusal tells nothing of a token.
 */
import { isLoopback } from "../settingKinds.ts"
import type { SettingValues } from "../Settings.ts"
import type { Authority, Refusal } from "../mcp/http/Listener.ts"
import { localSpace, type Principal, unlimited, usualLimits } from "../mcp/http/Principal.ts"
import { issuerOf } from "./issuer.ts"
import { find, hasExpired, isPrincipalToken, read, type PrincipalToken } from "./principalTokens.ts"
import { tokenIn } from "./token.ts"

const notRight: Refusal = { status: 401, message: "The token is not right, or has expired." }
const noFolder: Refusal = {
  status: 403,
  message: "Principals are not served: the operator has to name the folder of their roots (K3_PRINCIPALS).",
}

const unreachable: Refusal = {
  status: 503,
  message: "The issuer of tokens (K3_AUTH_ISSUER) does not answer. Ask again later.",
  headers: [["retry-after", "5"]],
}

/** The person who started the server. */
const local: Principal = { space: localSpace, name: undefined, credential: localSpace, readOnly: false, limits: unlimited }

/** Throws with a sentence when the person's token can be neither read nor made. */
export const authorityOf = (settings: SettingValues): Authority => {
  const { stateDir, listen, principals, authIssuer, authAudience } = settings
  const person = tokenIn(stateDir)
  const isLocal = listen !== null && isLoopback(listen)

  /** A token beside another one is as long as that one is, and has its limits. */
  const principalOf = (folder: string, { name, space, readOnly, limits }: PrincipalToken): Principal | undefined => {
    if (space === localSpace) return { ...local, name, credential: name, readOnly, limits: { ...unlimited, calls: limits.calls } }
    const owner = space === name ? undefined : read(folder, space)
    if (space !== name && (owner === undefined || hasExpired(owner))) return undefined
    return { space, name, credential: name, readOnly, limits: { ...(owner ?? { limits }).limits, calls: limits.calls } }
  }

  const issuer = authIssuer === null || authAudience === null ? undefined : issuerOf(authIssuer, authAudience)
  const isJwt = (given: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(given)
  const served = (principal: Principal): Principal | Refusal =>
    principals === null && principal.space !== localSpace ? noFolder : principal

  return {
    ...(authIssuer !== null && { issuer: authIssuer }),
    sign: person.sign,
    admit: async (given) => {
      if (issuer !== undefined && isJwt(given) && !isPrincipalToken(given)) {
        const found = await issuer.verify(given)
        if (found === "wrong") return notRight
        if (found === "unreachable") return unreachable
        return served({ ...found, credential: found.space, readOnly: false, limits: usualLimits(settings) })
      }
      if (!isPrincipalToken(given)) return isLocal && person.is(given) ? local : notRight
      const found = stateDir === null ? undefined : find(stateDir, given)
      const principal = found && principalOf(stateDir!, found)
      return principal === undefined ? notRight : served(principal)
    },
  }
}

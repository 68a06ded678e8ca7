/**
 * Finds the principal of a token or of a browser's login: the local person, the principal of a token that the operator made, or an issuer's
 * subject. Guarantees: the local person's token is valid only on loopback; a login ends with its token; a principal is served only if the operator
 * has set the folder of principals' roots; a refusal reveals nothing about a token.
 */
import { isLoopback } from "../settingKinds.ts"
import type { SettingValues } from "../Settings.ts"
import type { Authority, Refusal } from "../mcp/http/Listener.ts"
import { localSpace, type Principal, unlimited, usualLimits } from "../mcp/http/Principal.ts"
import { issuerOf, type Subject } from "./issuer.ts"
import { codeLasts, type Login, Logins, type LoginSource } from "./logins.ts"
import { find, hasExpired, isPrincipalToken, limitsOf, read, type PrincipalToken } from "./principalTokens.ts"
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

const tooManyCodes: Refusal = {
  status: 503,
  message: "Too many links wait to be opened. Ask again in a minute.",
  headers: [["retry-after", "60"]],
}

const known = (principal: Principal | Refusal, source: LoginSource) => ("status" in principal ? principal : { principal, source })

/** The principal of the person that started the server. */
const local: Principal = { space: localSpace, name: undefined, credential: localSpace, readOnly: false, limits: unlimited }

/** Throws an error with a sentence if the local person's token can be neither read nor made. */
export const authorityOf = (settings: SettingValues): Authority => {
  const { stateDir, listen, principals, authIssuer, authAudience } = settings
  const person = tokenIn(stateDir)
  const isLocal = listen !== null && isLoopback(listen)

  const issuer = authIssuer === null || authAudience === null ? undefined : issuerOf(authIssuer, authAudience)
  const isJwt = (given: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(given)
  const served = (principal: Principal): Principal | Refusal =>
    principals === null && principal.space !== localSpace ? noFolder : principal
  const ofSubject = ({ space, name }: Pick<Subject, "space" | "name">): Principal | Refusal =>
    served({ space, name, credential: space, readOnly: false, limits: usualLimits(settings) })
  const ofToken = (token: PrincipalToken): Principal | Refusal => {
    const limits = limitsOf(stateDir!, token)
    if (limits === undefined) return notRight
    const { space, name, readOnly } = token
    return served({ space, name, credential: name, readOnly, limits })
  }

  /** The principal of a token text, and the source for a login with it. */
  const identify = async (given: string): Promise<{ readonly principal: Principal; readonly source: LoginSource } | Refusal> => {
    if (issuer !== undefined && isJwt(given) && !isPrincipalToken(given)) {
      const found = await issuer.verify(given)
      if (found === "wrong") return notRight
      if (found === "unreachable") return unreachable
      return known(ofSubject(found), { kind: "issuer", name: found.name, stamp: found.space, until: found.until })
    }
    if (!isPrincipalToken(given))
      return isLocal && person.is(given)
        ? { principal: local, source: { kind: "person", name: localSpace, stamp: "", until: null } }
        : notRight
    const found = stateDir === null ? undefined : find(stateDir, given)
    return found === undefined
      ? notRight
      : known(ofToken(found), { kind: "token", name: found.name, stamp: found.hash, until: found.until })
  }

  /** The principal of a login's token; a refusal if that token is no longer valid. */
  const again = ({ kind, name, stamp }: Login): Principal | Refusal => {
    if (kind === "person") return isLocal ? { ...local, name: "page" } : notRight
    if (kind === "issuer") return issuer === undefined ? notRight : ofSubject({ space: stamp, name })
    const token = stateDir === null ? undefined : read(stateDir, name)
    return token === undefined || token.hash !== stamp || hasExpired(token) ? notRight : ofToken(token)
  }

  const logins = new Logins({ sign: person.sign, now: () => Date.now() })
  const principalOfLogin = (login: Login | undefined): Principal | undefined => {
    const principal = login && again(login)
    if (login === undefined || principal === undefined || "status" in principal) return undefined
    // A credential of its own, so that the page's calls do not count against the agent's limit.
    return { ...principal, credential: `:page ${principal.credential}`, readOnly: principal.readOnly || login.isReadOnly }
  }

  return {
    issuer: authIssuer ?? undefined,
    sign: person.sign,
    admit: async (given) => {
      const found = await identify(given)
      return "status" in found ? found : found.principal
    },
    invite: async (given, isReadOnly, place) => {
      const found = await identify(given)
      if ("status" in found) return found
      const code = logins.invite(found.source, isReadOnly, place)
      return code === undefined ? tooManyCodes : { code, seconds: codeLasts / 1000 }
    },
    logIn: async (code) => {
      const accepted = logins.accept(code)
      if (accepted === undefined || principalOfLogin(accepted.login) === undefined) return undefined
      return { ...logins.cookieOf(accepted.login), place: accepted.place }
    },
    recall: async (cookie) => principalOfLogin(logins.read(cookie)),
    logOut: (cookie) => logins.logOut(cookie),
  }
}

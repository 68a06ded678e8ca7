/** Whether a server may listen where it is told to: beyond loopback only with something that says who asks, and folders for those who do. */
import { isLoopback } from "../settingKinds.ts"
import type { SettingValues } from "../Settings.ts"
import { all } from "./principalTokens.ts"

/** Why it may not, in a sentence that says what to do; undefined when it may. */
export const whyNotListen = ({ listen, stateDir, principals, authIssuer, authAudience }: SettingValues): string | undefined => {
  if (principals !== null && stateDir !== null && `${stateDir}/`.startsWith(`${principals}/`))
    return `K3_PRINCIPALS (${principals}) holds the state folder (${stateDir}), so that K could reach it: name another folder`
  if ((authIssuer === null) !== (authAudience === null))
    return "K3_AUTH_ISSUER and K3_AUTH_AUDIENCE go together: a JWT that is for anybody is for nobody"
  if (authIssuer !== null && !/^https:|^http:\/\/(?:127\.|localhost[:/]|\[::1\])/.test(authIssuer))
    return `K3_AUTH_ISSUER is ${authIssuer}: its keys could be changed on their way; use https`
  if (listen === null || isLoopback(listen)) return undefined
  const where = `K3_LISTEN is ${listen.host}:${listen.port}, beyond loopback`
  if (authIssuer === null && (stateDir === null || all(stateDir).length === 0))
    return `${where}, and nobody could say who they are: make a token first (k3-mcp token add NAME), or set K3_AUTH_ISSUER and K3_AUTH_AUDIENCE`
  if (principals === null)
    return `${where}, and principals have no folders: set K3_PRINCIPALS to a folder in which each gets a root of its own`
  return undefined
}

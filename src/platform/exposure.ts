/**
 * Checks whether a server may listen at its addresses: beyond loopback only with tokens or an issuer, and with folders for principals; for
 * the other machines of a cluster only at a private address.
 */
import { isLoopback } from "../settingKinds.ts"
import type { NamesGiven, SettingValues } from "../Settings.ts"
import { all } from "./principalTokens.ts"

/** Why the server may not listen, in a sentence that says what to do; undefined when it may. */
export const whyNotListen = (
  { listen, stateDir, principals, authIssuer, authAudience }: SettingValues,
  called: NamesGiven,
): string | undefined => {
  if (principals !== null && stateDir !== null && `${stateDir}/`.startsWith(`${principals}/`))
    return `${called("principals")} (${principals}) holds the state folder (${stateDir}), so that K could reach it: name another folder`
  if ((authIssuer === null) !== (authAudience === null))
    return `${called("authIssuer")} and ${called("authAudience")} go together: a JWT that is for anybody is for nobody`
  if (authIssuer !== null && !/^https:|^http:\/\/(?:127(?:\.\d+){3}|localhost|\[::1\])(?:[:/]|$)/.test(authIssuer))
    return `${called("authIssuer")} is ${authIssuer}: its keys could be changed on their way; use https`
  if (listen === null || isLoopback(listen)) return undefined
  const where = `${called("listen")} is ${listen.host}:${listen.port}, beyond loopback`
  if (authIssuer === null && (stateDir === null || all(stateDir).length === 0))
    return `${where}, and nobody could say who they are: make a token first (k3-mcp token add NAME), or set K3_AUTH_ISSUER and K3_AUTH_AUDIENCE`
  if (principals === null)
    return `${where}, and principals have no folders: set K3_PRINCIPALS to a folder in which each gets a root of its own`
  return undefined
}

/** RFC 1918, 6598, 3927 and 4193, loopback and link-local. */
const privateAddress =
  /^(?:127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|::1$|f[cd][\da-f]{2}:|fe[89ab][\da-f]:)/i

/** The least version of Node, which Effect's platform requires. */
const leastNode = [22, 19] as const

/**
 * Why a server with these settings may not be a member of a cluster; undefined when it may, or is no member. `node`: the version of Node.
 * `isHeard`: a client is on stdio.
 */
export const whyNotMember = (
  { cluster, role, runnerAddress, runnerPublic, listen }: SettingValues,
  { node, isHeard, called }: { readonly node: string; readonly isHeard: boolean; readonly called: NamesGiven },
): string | undefined => {
  if (cluster === null) return undefined
  const [major = 0, minor = 0] = node.replace(/^v/, "").split(".").map(Number)
  if (major < leastNode[0] || (major === leastNode[0] && minor < leastNode[1]))
    return `${called("cluster")} needs Node ${leastNode.join(".")} or later; this is ${node}`
  if (role === "front" && listen === null && !isHeard)
    return `${called("role")} is front, and no client could reach it: set K3_LISTEN to ADDRESS:PORT`
  if (role !== "front" && !runnerPublic && !privateAddress.test(runnerAddress.host))
    return `${called("runnerAddress")} is ${runnerAddress.host}, an address of the public internet: name a private one, or set K3_RUNNER_PUBLIC=1`
  return undefined
}

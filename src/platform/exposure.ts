/** Whether a server may listen where it is told to: beyond loopback only with something that says who asks, and folders for those who do. */
import { isLoopback, type SettingValues } from "../Settings.ts"
import { all } from "./principalTokens.ts"

/** Why it may not, in a sentence that says what to do; undefined when it may. */
export const whyNotListen = ({ listen, stateDir, principals }: SettingValues): string | undefined => {
  if (principals !== null && stateDir !== null && `${stateDir}/`.startsWith(`${principals}/`))
    return `K3_PRINCIPALS (${principals}) holds the state folder (${stateDir}), so that K could reach it: name another folder`
  if (listen === null || isLoopback(listen)) return undefined
  const where = `K3_LISTEN is ${listen.host}:${listen.port}, beyond loopback`
  if (stateDir === null || all(stateDir).length === 0)
    return `${where}, and nobody could say who they are: make a token first (k3-mcp token add NAME)`
  if (principals === null)
    return `${where}, and principals have no folders: set K3_PRINCIPALS to a folder in which each gets a root of its own`
  return undefined
}

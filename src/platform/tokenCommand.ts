/**
 * `k3-mcp token show|add|list|remove`: shows the local person's token, and manages the tokens of principals. Guarantees: only `add` shows the text of a
 * principal's token, once.
 */
import { localSpace, type PrincipalLimits, usualLimits } from "../mcp/http/Principal.ts"
import { showSize, sizeOf } from "../settingKinds.ts"
import type { SettingValues } from "../Settings.ts"
import { add, all, damaged, hasExpired, isTokenName, limitsOf, read, remove } from "./principalTokens.ts"
import { tokenText } from "./token.ts"
import type { TokenFlags, TokenRequest } from "./tokenRequest.ts"

const units: ReadonlyMap<string | undefined, number> = new Map([
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
])

/** The values of `token add`'s flags with numbers: a count, bytes, ms. Undefined for a value that is not allowed. */
const count = (given: unknown): number | undefined => (/^[1-9]\d{0,8}$/.test(String(given)) ? Number(given) : undefined)
const memory = (given: unknown): number | undefined => sizeOf(given, 64 * 1024 ** 2)
const lifetime = (given: unknown): number | undefined => {
  const [, n, unit] = /^([1-9]\d{0,4})([mhd])$/.exec(String(given)) ?? []
  const ms = units.get(unit)
  return ms === undefined ? undefined : Number(n) * ms
}

const kinds = {
  sessions: [count, "a whole number from 1, of sessions at once"],
  evaluations: [count, "a whole number from 1, of evaluations at once"],
  calls: [count, "a whole number from 1, of calls a minute"],
  memory: [memory, "a size such as 2GiB, at least 64MiB"],
  expires: [lifetime, "a time such as 90m, 12h or 30d"],
} as const

const numberOf = (flags: TokenFlags, name: keyof typeof kinds): number | undefined => {
  const given = flags[name]
  if (given === undefined) return undefined
  const [read, allowed] = kinds[name]
  const value = read(given)
  if (value === undefined) throw new Error(`--${name} is ${JSON.stringify(given)}; allowed: ${allowed}`)
  return value
}

const naming = "a name is a small letter and then at most 31 small letters, digits, _ and -; not local, nor one that begins with jwt-"

const spaceOf = (stateDir: string, name: string, given: unknown): string => {
  if (given === undefined || given === name) return name
  if (given === localSpace) return localSpace
  if (typeof given === "string" && isTokenName(given) && read(stateDir, given)?.space === given) return given
  throw new Error(`--as ${JSON.stringify(given)}: there is no principal of that name; k3-mcp token list shows those that there are`)
}

/** Throws if a token for another one's space is given a limit that `limitsOf` takes from that one. */
const checkLimits = (name: string, space: string, flags: TokenFlags): void => {
  const limit = (["sessions", "memory", "evaluations"] as const).find((each) => flags[each] !== undefined)
  if (space === name || limit === undefined) return
  const anew = space === localSpace ? "" : `, or remove ${space} and add it anew with --${limit}`
  throw new Error(`--${limit} does not go with --as ${space}, whose limits hold for both tokens, except --calls: leave it out${anew}`)
}

const added = (stateDir: string, name: string, flags: TokenFlags, settings: SettingValues): string => {
  const usual = usualLimits(settings)
  const limits: PrincipalLimits = {
    sessions: numberOf(flags, "sessions") ?? usual.sessions,
    memory: numberOf(flags, "memory") ?? usual.memory,
    evaluations: numberOf(flags, "evaluations") ?? usual.evaluations,
    calls: numberOf(flags, "calls") ?? usual.calls,
  }
  if (limits.memory !== null && limits.memory / limits.sessions < 32 * 1024 ** 2)
    throw new Error(`--memory leaves less than 32MiB for each of ${limits.sessions} sessions: give more, or fewer --sessions`)
  const lasts = numberOf(flags, "expires")
  const space = spaceOf(stateDir, name, flags["as"])
  checkLimits(name, space, flags)
  const token = { name, space, readOnly: flags["read-only"] === true, limits }
  return add(stateDir, { ...token, until: lasts === undefined ? null : Date.now() + lasts })
}

/** The local person's space has no limit but that of calls. */
const limitTexts = ({ sessions, memory, evaluations, calls }: PrincipalLimits): readonly string[] => [
  ...(evaluations === Infinity ? [] : [`${sessions} sessions`]),
  ...(memory === null ? [] : [`${showSize(memory)} of memory`]),
  ...(evaluations === Infinity ? [] : [`${evaluations} evaluations at once`]),
  `${calls} calls a minute`,
]

const listed = (stateDir: string): string => {
  const lines = all(stateDir).map((token) => {
    const { name, space, readOnly, until } = token
    const limits = limitsOf(stateDir, token)
    return [
      name,
      ...(space === name ? [] : [`as ${space}`]),
      ...(readOnly ? ["read-only"] : []),
      until === null ? "does not expire" : `${hasExpired(token) ? "expired" : "expires"} ${new Date(until).toISOString()}`,
      ...(limits === undefined ? [`not valid without the token ${space}, which is gone or has expired`] : limitTexts(limits)),
    ].join(", ")
  })
  for (const name of damaged(stateDir)) lines.push(`${name}, damaged: it admits nobody; k3-mcp token remove ${name}, then add it anew`)
  return lines.length === 0 ? "There is no token of a principal: k3-mcp token add NAME makes one." : lines.join("\n")
}

/** Runs the command and returns the text to print. Throws an error with a sentence. */
export const tokenCommand = ({ action, name, flags }: TokenRequest, settings: SettingValues): string => {
  const { stateDir } = settings
  if (action === "show") return `${tokenText(stateDir)}\n`
  if (stateDir === null) throw new Error("tokens are kept in the state folder, and there is none (K3_STATE_DIR is none)")
  if (action === "list") return `${listed(stateDir)}\n`
  if (name === undefined || !isTokenName(name)) throw new Error(`token ${action} takes a name: ${naming}`)
  if (action === "add") return `${added(stateDir, name, flags, settings)}\n`
  if (!remove(stateDir, name)) throw new Error(`there is no token ${name}; k3-mcp token list shows those that there are`)
  return `The token ${name} is removed. What its principal kept stays in the state folder.\n`
}

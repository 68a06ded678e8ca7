/**
 * The tokens of principals, one file each in the folder `tokens` of the state folder, which only its owner can read. Guarantees: a file holds
 * a hash of the token, never the token; a changed file is used from the next request on; a comparison takes the same time for every given text,
 * also if no such token exists. Does not: show a token a second time.
 */
import { randomBytes } from "node:crypto"
import { readdirSync, readFileSync, unlinkSync } from "node:fs"
import { join } from "node:path"
import { localSpace, type PrincipalLimits, unlimited } from "../mcp/http/Principal.ts"
import { makeFile } from "./makeFile.ts"
import { hasHash, sha256 } from "./secrets.ts"
import { withFallback } from "../repl/withFallback.ts"

/** A token as it is stored. */
export interface PrincipalToken {
  readonly name: string
  /** SHA-256 of its secret, in hexadecimal digits. */
  readonly hash: string
  /** The space that it gives access to. */
  readonly space: string
  readonly readOnly: boolean
  /** Expiry, ms since 1970; null: never. */
  readonly until: number | null
  readonly limits: PrincipalLimits
}

/** Can this be a token's name? A name is a folder's name too, on every system. `jwt-` begins the spaces of an issuer's subjects. */
export const isTokenName = (name: string): boolean =>
  /^[a-z][a-z0-9_-]{0,31}$/.test(name) && !name.startsWith("jwt-") && !/^(con|prn|aux|nul|com\d|lpt\d|local)$/.test(name)

const form = /^k3\.([\w-]{43})\.([a-z0-9_-]{1,32})$/
const nobody = sha256("")

const folderOf = (stateDir: string): string => join(stateDir, "tokens")
const fileOf = (stateDir: string, name: string): string => join(folderOf(stateDir), `${name}.json`)

const isCount = (given: unknown): boolean => Number.isSafeInteger(given) && (given as number) > 0

/** Is this the content of a token's file? A file may be written by hand. */
const isSound = (given: unknown, name: string): given is PrincipalToken => {
  if (typeof given !== "object" || given === null) return false
  const { hash, space, readOnly, until, limits, name: own } = given as Partial<Record<keyof PrincipalToken, unknown>>
  const { sessions, memory, evaluations, calls } = (limits ?? {}) as Partial<Record<keyof PrincipalLimits, unknown>>
  return (
    own === name &&
    typeof hash === "string" &&
    /^[\da-f]{64}$/.test(hash) &&
    typeof space === "string" &&
    (space === "local" || isTokenName(space)) &&
    typeof readOnly === "boolean" &&
    (until === null || (typeof until === "number" && !Number.isNaN(new Date(until).getTime()))) &&
    [sessions, evaluations, calls].every(isCount) &&
    (memory === null || isCount(memory))
  )
}

/** The token of that name; undefined if it does not exist or its file cannot be used. */
export const read = (stateDir: string, name: string): PrincipalToken | undefined => {
  const found = withFallback((): unknown => JSON.parse(readFileSync(fileOf(stateDir, name), "utf8")), undefined)
  return isSound(found, name) ? found : undefined
}

const namesIn = (stateDir: string): readonly string[] => {
  const files = withFallback(() => readdirSync(folderOf(stateDir)), [])
  return files.flatMap((file) => (file.endsWith(".json") ? [file.slice(0, -".json".length)] : [])).sort()
}

export const all = (stateDir: string): readonly PrincipalToken[] => namesIn(stateDir).flatMap((name) => read(stateDir, name) ?? [])

/** The names of the tokens whose files cannot be used. */
export const damaged = (stateDir: string): readonly string[] =>
  namesIn(stateDir).filter((name) => isTokenName(name) && read(stateDir, name) === undefined)

/** Does the text have the form of a principal's token? */
export const isPrincipalToken = (given: string): boolean => form.test(given)

export const hasExpired = ({ until }: PrincipalToken): boolean => until !== null && until <= Date.now()

/** The stored token for a given token text; undefined when the text is wrong or the token has expired. */
export const find = (stateDir: string, given: string): PrincipalToken | undefined => {
  const [, secret = "", name = ""] = form.exec(given) ?? []
  const kept = isTokenName(name) ? read(stateDir, name) : undefined
  const isRight = hasHash(secret, kept === undefined ? nobody : Buffer.from(kept.hash, "hex"))
  if (!isRight || kept === undefined || hasExpired(kept)) return undefined
  return kept
}

/**
 * The limits with which a token is admitted: a token for another one's space has that one's, but for calls. Undefined if it is not admitted, since
 * that one is gone or has expired.
 */
export const limitsOf = (stateDir: string, { name, space, limits }: PrincipalToken): PrincipalLimits | undefined => {
  if (space === name) return limits
  if (space === localSpace) return { ...unlimited, calls: limits.calls }
  const owner = read(stateDir, space)
  return owner === undefined || hasExpired(owner) ? undefined : { ...owner.limits, calls: limits.calls }
}

/** Stores a new token and returns its text. Throws an error with a sentence if the name is taken. */
export const add = (stateDir: string, token: Omit<PrincipalToken, "hash">): string => {
  const secret = randomBytes(32).toString("base64url")
  if (!makeFile(fileOf(stateDir, token.name), JSON.stringify({ ...token, hash: sha256(secret).toString("hex") })))
    throw new Error(`there is a token ${token.name} already: remove it first (k3-mcp token remove ${token.name})`)
  return `k3.${secret}.${token.name}`
}

/** False if the token did not exist. */
export const remove = (stateDir: string, name: string): boolean => {
  try {
    unlinkSync(fileOf(stateDir, name))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
    return false
  }
}

/**
 * The kinds of values of settings: how each is read from text or JSON, which values are allowed, how it is shown. Pure; the caller passes in the
 * folder that paths are relative to.
 */

/** A kind of value. */
export interface SettingKind<A> {
  /** The allowed values, for errors: "allowed: …". */
  readonly allowed: string
  /** `undefined` when the raw value is not of this kind. */
  read(raw: unknown, base: Base): A | undefined
  show(value: A): string
  /** The value holds a secret: an error must not quote it. */
  readonly isSecret?: true
}

/** The context in which values are read. */
export interface Base {
  /** The user's working folder, absolute. */
  readonly cwd: string
  readonly resolvePath: (...segments: string[]) => string
  /** The separator of folders in a list: `:` or `;`. */
  readonly pathDelimiter: string
  /** The default state folder; null or absent when there is none. */
  readonly stateFolder?: string | null | undefined
}

/** The text of a scalar; empty for a list or an object, which must not count as a duration, size or number even if it prints like one. */
const scalar = (raw: unknown): string =>
  typeof raw === "string" || typeof raw === "number" || typeof raw === "boolean" ? String(raw).trim() : ""

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const

/** A duration in milliseconds, at most 2^31 − 1, the longest timer of JavaScript. */
export const duration: SettingKind<number> = {
  allowed: "a duration such as 250ms, 30s, 2m or a whole number of milliseconds, from 1ms to 24 days",
  read: (raw) => {
    const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(scalar(raw))
    if (match === null) return undefined
    const ms = Math.round(Number(match[1]) * units[(match[2] ?? "ms") as keyof typeof units])
    return ms >= 1 && ms <= 2_147_483_647 ? ms : undefined
  },
  show: (ms) => {
    const whole = (["h", "m", "s"] as const).find((unit) => ms % units[unit] === 0) ?? "ms"
    return `${ms / units[whole]}${whole}`
  },
}

const sizes = { "": 1, B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const

export const showSize = (bytes: number): string => {
  const whole = (["GiB", "MiB", "KiB"] as const).find((unit) => bytes % sizes[unit] === 0) ?? "B"
  return `${bytes / sizes[whole]}${whole}`
}

const noBase: Base = { cwd: "", resolvePath: (...segments) => segments.join("/"), pathDelimiter: ":" }

/** A size in bytes. */
export const size = (least: number): SettingKind<number> => ({
  allowed: `a size such as 512MiB, 1GiB or a whole number of bytes, at least ${showSize(least)}`,
  read: (raw) => {
    const match = /^(\d+(?:\.\d+)?)\s?(|B|KiB|MiB|GiB)$/.exec(scalar(raw))
    if (match === null) return undefined
    const bytes = Math.round(Number(match[1]) * sizes[match[2] as keyof typeof sizes])
    return bytes >= least && Number.isSafeInteger(bytes) ? bytes : undefined
  },
  show: showSize,
})

/** The bytes of a size as text; undefined when the text is no size or less than `least`. */
export const sizeOf = (raw: unknown, least: number): number | undefined => size(least).read(raw, noBase)

export const wholeNumber = (least: number, most: number): SettingKind<number> => ({
  allowed: `a whole number from ${least} to ${most}`,
  read: (raw) => {
    const text = scalar(raw)
    const n = /^\d+$/.test(text) ? Number(text) : Number.NaN
    return n >= least && n <= most ? n : undefined
  },
  show: String,
})

export const oneOf = <const A extends string>(...options: readonly A[]): SettingKind<A> => ({
  allowed: options.join(", "),
  read: (raw) => options.find((option) => option === raw),
  show: (value) => value,
})

export const flag: SettingKind<boolean> = {
  allowed: "1, 0, true or false",
  read: (raw) => ({ 1: true, true: true, 0: false, false: false })[scalar(raw) as "1"],
  show: (value) => (value ? "1" : "0"),
}

export const text: SettingKind<string> = {
  allowed: "a text that is not empty",
  read: (raw) => (typeof raw === "string" && raw.trim() !== "" ? raw : undefined),
  show: (value) => value,
}

export const folder: SettingKind<string> = {
  allowed: "a folder",
  read: (raw, base) => (typeof raw === "string" && raw !== "" && !raw.includes("\0") ? base.resolvePath(base.cwd, raw) : undefined),
  show: (value) => value,
}

export const optional = <A>(kind: SettingKind<A>): SettingKind<A | null> => ({
  ...(kind.isSecret === true && { isSecret: true }),
  allowed: `${kind.allowed}, or none`,
  read: (raw, base) => (raw === "none" ? null : kind.read(raw, base)),
  show: (value) => (value === null ? "none" : kind.show(value)),
})

/** An address to listen at. */
export interface ListenAddress {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
}

const isAddress = (host: string): boolean =>
  host.includes(":")
    ? /^[\da-f:.]{2,45}$/i.test(host)
    : /^(?:\d{1,3}\.){3}\d{1,3}$/.test(host) && host.split(".").every((each) => Number(each) < 256)

export const place: SettingKind<ListenAddress> = {
  allowed:
    "an ADDRESS:PORT such as 127.0.0.1:7333 or [::1]:7333, with port 0 for any that is free; beyond loopback only with tokens (k3-mcp token add) or an issuer (K3_AUTH_ISSUER)",
  read: (raw) => {
    const match = /^(localhost|[\d.]+|\[[\da-fA-F:.]+\]|):(\d{1,5})$/.exec(scalar(raw))
    if (match === null || Number(match[2]) > 65_535) return undefined
    const host = match[1] === "" || match[1] === "localhost" ? "127.0.0.1" : match[1]!.replace(/^\[(.*)\]$/, "$1")
    return isAddress(host) ? { host, port: Number(match[2]) } : undefined
  },
  show: ({ host, port }) => `${host.includes(":") ? `[${host}]` : host}:${port}`,
}

/** Is the address reachable only from this machine? */
export const isLoopback = ({ host }: Pick<ListenAddress, "host">): boolean => host === "::1" || /^127(?:\.\d+){3}$/.test(host)

export const url: SettingKind<string> = {
  allowed: "an address such as https://k3.example.com",
  read: (raw) => (/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/.test(scalar(raw)) ? scalar(raw) : undefined),
  show: (value) => value,
}

/** A server's address, given with or without the place of MCP, without it. */
export const withoutMcp = (address: string): string => address.replace(/(?:\/mcp)?\/?$/, "")

/** A secret text, which printing an object with it does not show. */
export interface Secret {
  readonly reveal: () => string
}

/** The address of a database, password included. */
export const database: SettingKind<Secret> = {
  allowed: "an address such as postgres://user:password@host:5432/database",
  isSecret: true,
  read: (raw) => {
    const address = scalar(raw)
    return /^postgres(?:ql)?:\/\/[^\s]+$/.test(address) && URL.canParse(address) ? { reveal: () => address } : undefined
  },
  show: ({ reveal }) => {
    const { protocol, host, pathname } = new URL(reveal())
    return `${protocol}//${host}${pathname}`
  },
}

/** The address at which the other machines of a cluster reach this one. */
export const machineAddress: SettingKind<ListenAddress> = {
  allowed: "an ADDRESS:PORT such as 10.0.0.5:34431 that the other machines reach",
  read: (raw, base) => {
    const found = place.read(raw, base)
    return found === undefined || found.port === 0 || /^(?:0\.0\.0\.0|::)$/.test(found.host) ? undefined : found
  },
  show: place.show,
}

export const platformFolder = "the platform's state folder"

/** A folder, or null for none. */
export const stateFolder: SettingKind<string | null> = {
  ...optional(folder),
  read: (raw, base) => (raw === platformFolder ? (base.stateFolder ?? null) : optional(folder).read(raw, base)),
}

export const folders: SettingKind<readonly string[]> = {
  allowed: "folders, in a JSON file as a list, else separated as in PATH; a flag may be repeated",
  read: (raw, base) => {
    const items: readonly unknown[] = Array.isArray(raw) ? raw : typeof raw === "string" ? raw.split(base.pathDelimiter) : []
    const resolved = items.map((each) => folder.read(each, base))
    return resolved.length > 0 && resolved.every((each) => each !== undefined) ? resolved : undefined
  },
  show: (value) => value.join(" "),
}

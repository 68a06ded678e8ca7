/**
 * How browsers log in to the page: codes that count once, and the cookies that they become.
 *
 * Guarantees: a code counts for a minute and is spent by the first look at it, right or wrong; codes and signatures are compared in constant
 * time, and there are never many codes; a cookie holds no secret, counts after a restart too, and ends at its time or when somebody logs out
 * with it. Does not: remember over a restart who logged out, so a cookie that was copied before counts again until its time; say whether
 * the token it came from still counts (`authority.ts`).
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"

/** What a cookie remembers of the token that it came from. */
export interface Source {
  readonly kind: "person" | "token" | "issuer"
  readonly name: string
  /** Another token of that name has another one. */
  readonly stamp: string
  /** ms since 1970; null: for ever. */
  readonly until: number | null
}

export interface Login extends Source {
  readonly id: string
  readonly isReadOnly: boolean
  readonly until: number
}

interface Invitation {
  readonly secret: Buffer
  readonly source: Source
  readonly isReadOnly: boolean
  readonly place: string
  readonly until: number
}

interface Parts {
  readonly sign: (text: string) => string
  /** ms since 1970. */
  readonly now: () => number
}

/** ms. */
export const codeLasts = 60_000
const cookieLasts = 24 * 60 * 60_000
const mostOfOne = 4
const most = 1000
const mostLoggedOut = 10_000

const form = /^([\w-]{12})\.([\w-]{43})$/
const hash = (text: string): Buffer => createHash("sha256").update(text).digest()
/** A credential, with which ids of transport sessions are signed, does not begin so. */
const signedText = (payload: string): string => `:cookie ${payload}`

export class Logins {
  private readonly invitations = new Map<string, Invitation>()
  /** Ids of cookies, and when they would have ended. */
  private readonly loggedOut = new Map<string, number>()

  constructor(private readonly parts: Parts) {}

  /** A code; undefined when too many wait to be used. */
  invite(source: Source, isReadOnly: boolean, place: string): string | undefined {
    const now = this.parts.now()
    for (const [id, { until }] of this.invitations) if (until <= now) this.invitations.delete(id)
    const own = [...this.invitations].filter(([, each]) => each.source.kind === source.kind && each.source.name === source.name)
    if (own.length >= mostOfOne) this.invitations.delete(own[0]![0])
    if (this.invitations.size >= most) return undefined
    const id = randomBytes(9).toString("base64url")
    const secret = randomBytes(32).toString("base64url")
    this.invitations.set(id, { secret: hash(secret), source, isReadOnly, place, until: now + codeLasts })
    return `${id}.${secret}`
  }

  /** The login that a code is for; undefined when there is none. */
  accept(code: string): { readonly login: Login; readonly place: string } | undefined {
    const [, id = "", secret = ""] = form.exec(code) ?? []
    const found = this.invitations.get(id)
    this.invitations.delete(id)
    const now = this.parts.now()
    if (!timingSafeEqual(hash(secret), found?.secret ?? hash("")) || found === undefined || found.until <= now) return undefined
    const { source, isReadOnly, place } = found
    const until = Math.min(now + cookieLasts, source.until ?? Infinity)
    return { login: { ...source, id: randomBytes(9).toString("base64url"), isReadOnly, until }, place }
  }

  cookieOf(login: Login): { readonly value: string; readonly seconds: number } {
    const payload = Buffer.from(JSON.stringify(login)).toString("base64url")
    const value = `${payload}.${this.parts.sign(signedText(payload))}`
    return { value, seconds: Math.max(0, Math.floor((login.until - this.parts.now()) / 1000)) }
  }

  /** Undefined when the cookie is not ours, has ended, or was logged out with. */
  read(cookie: string): Login | undefined {
    const [payload = "", signature = "", ...more] = cookie.split(".")
    const isOurs = timingSafeEqual(hash(signature), hash(this.parts.sign(signedText(payload))))
    if (!isOurs || more.length > 0) return undefined
    const login = JSON.parse(Buffer.from(payload, "base64url").toString()) as Login
    return login.until > this.parts.now() && !this.loggedOut.has(login.id) ? login : undefined
  }

  logOut(cookie: string): void {
    const login = this.read(cookie)
    if (login === undefined) return
    const now = this.parts.now()
    for (const [id, until] of this.loggedOut) if (until <= now || this.loggedOut.size >= mostLoggedOut) this.loggedOut.delete(id)
    this.loggedOut.set(login.id, login.until)
  }
}

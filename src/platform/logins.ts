/**
 * Logins of browsers to the page: codes that are valid once, and the cookies that replace them.
 *
 * Guarantees: a code is valid for a minute, and the first attempt to use it, right or wrong, ends it; codes and signatures are compared in constant
 * time, and the number of codes is bounded; a cookie holds no secret, is valid after a restart too, and ends at its expiry or by a logout
 * with it. Does not: remember logouts over a restart, so that a copied cookie is valid again until its expiry; check that the token behind a
 * login is still valid (`authority.ts`).
 */
import { randomBytes } from "node:crypto"
import { hasHash, sha256 } from "./secrets.ts"

/** The token behind a login. */
export interface LoginSource {
  readonly kind: "person" | "token" | "issuer"
  readonly name: string
  /** Distinguishes tokens of the same name. */
  readonly stamp: string
  /** Expiry, ms since 1970; null: never. */
  readonly until: number | null
}

export interface Login extends LoginSource {
  readonly id: string
  readonly isReadOnly: boolean
  readonly until: number
}

interface Invitation {
  readonly secret: Buffer
  readonly source: LoginSource
  readonly isReadOnly: boolean
  readonly place: string
  readonly until: number
}

interface Parts {
  readonly sign: (text: string) => string
  /** The time, ms since 1970. */
  readonly now: () => number
}

/** How long codes and cookies are valid, ms. */
export const codeLasts = 60_000
const cookieLasts = 24 * 60 * 60_000
const mostOfOne = 4
const most = 1000
const mostLoggedOut = 10_000

const form = /^([\w-]{12})\.([\w-]{43})$/
/** The signed text of a cookie. No signed id of a transport session begins like it, since those begin with a credential. */
const signedText = (payload: string): string => `:cookie ${payload}`

export class Logins {
  private readonly invitations = new Map<string, Invitation>()
  /** The ids of logged-out cookies, and their expiry. */
  private readonly loggedOut = new Map<string, number>()

  constructor(private readonly parts: Parts) {}

  /** Makes a code; undefined when too many codes are unused. */
  invite(source: LoginSource, isReadOnly: boolean, place: string): string | undefined {
    const now = this.parts.now()
    for (const [id, { until }] of this.invitations) if (until <= now) this.invitations.delete(id)
    const own = [...this.invitations].filter(([, each]) => each.source.kind === source.kind && each.source.name === source.name)
    if (own.length >= mostOfOne) this.invitations.delete(own[0]![0])
    if (this.invitations.size >= most) return undefined
    const id = randomBytes(9).toString("base64url")
    const secret = randomBytes(32).toString("base64url")
    this.invitations.set(id, { secret: sha256(secret), source, isReadOnly, place, until: now + codeLasts })
    return `${id}.${secret}`
  }

  /** Ends the code and returns its login; undefined when the code is not valid. */
  accept(code: string): { readonly login: Login; readonly place: string } | undefined {
    const [, id = "", secret = ""] = form.exec(code) ?? []
    const found = this.invitations.get(id)
    this.invitations.delete(id)
    const now = this.parts.now()
    if (!hasHash(secret, found?.secret ?? sha256("")) || found === undefined || found.until <= now) return undefined
    const { source, isReadOnly, place } = found
    const until = Math.min(now + cookieLasts, source.until ?? Infinity)
    return { login: { ...source, id: randomBytes(9).toString("base64url"), isReadOnly, until }, place }
  }

  cookieOf(login: Login): { readonly value: string; readonly seconds: number } {
    const payload = Buffer.from(JSON.stringify(login)).toString("base64url")
    const value = `${payload}.${this.parts.sign(signedText(payload))}`
    return { value, seconds: Math.max(0, Math.floor((login.until - this.parts.now()) / 1000)) }
  }

  /** The login of a cookie; undefined when its signature is wrong, it has expired, or it was logged out. */
  read(cookie: string): Login | undefined {
    const [payload = "", signature = "", ...more] = cookie.split(".")
    if (!hasHash(signature, sha256(this.parts.sign(signedText(payload)))) || more.length > 0) return undefined
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

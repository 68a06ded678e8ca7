/** Y2 codes and cookies of the page's logins, under a clock that the test sets. */
import { createHmac } from "node:crypto"
import { describe, expect, it } from "vitest"
import { Logins, type LoginSource } from "../../src/platform/logins.ts"

const sign = (text: string): string => createHmac("sha256", "secret").update(text).digest("base64url").slice(0, 32)
const anna: LoginSource = { kind: "token", name: "anna", stamp: "1", until: null }
const minute = 60_000
const day = 24 * 60 * minute

const made = (at = 0) => {
  const clock = { now: at }
  return { clock, logins: new Logins({ sign, now: () => clock.now }) }
}

describe("Y2 a code", () => {
  it("is valid once", () => {
    const { logins } = made()
    const code = logins.invite(anna, true, "/#/main")!
    expect(code).toMatch(/^[\w-]{12}\.[\w-]{43}$/)
    expect(logins.accept(code)).toMatchObject({ login: { ...anna, isReadOnly: true, until: day }, place: "/#/main" })
    expect(logins.accept(code)).toBeUndefined()
  })

  it("is ended by a wrong guess of its secret", () => {
    const { logins } = made()
    const code = logins.invite(anna, false, "/")!
    const last = code.endsWith("A") ? "B" : "A"
    expect(logins.accept(code.slice(0, -1) + last)).toBeUndefined()
    expect(logins.accept(code)).toBeUndefined()
  })

  it("is valid for a minute", () => {
    const { logins, clock } = made()
    const [first, second] = [logins.invite(anna, false, "/")!, logins.invite(anna, false, "/")!]
    clock.now = minute - 1
    expect(logins.accept(first)).toBeDefined()
    clock.now = minute
    expect(logins.accept(second)).toBeUndefined()
  })

  it("replaces the same token's oldest code, and no other token's", () => {
    const { logins } = made()
    const codes = [1, 2, 3, 4, 5].map(() => logins.invite(anna, false, "/")!)
    expect(logins.accept(codes[0]!)).toBeUndefined()
    expect(codes.slice(1).every((code) => logins.accept(code) !== undefined)).toBe(true)
    const annas = logins.invite(anna, false, "/")!
    const others = Array.from({ length: 999 }, (_, i) => logins.invite({ ...anna, name: `b${i}` }, false, "/"))
    expect(others.every((code) => code !== undefined)).toBe(true)
    expect(logins.invite({ ...anna, name: "c" }, false, "/")).toBeUndefined()
    expect(logins.accept(annas)).toBeDefined()
  })

  it.each(["", ".", "x", "a".repeat(12), `${"a".repeat(12)}.${"b".repeat(43)}`, "constructor", "\0"])("%j is not valid", (code) => {
    expect(made().logins.accept(code)).toBeUndefined()
  })
})

describe("Y2 a cookie", () => {
  const cookie = ({ logins }: ReturnType<typeof made>, source = anna) =>
    logins.cookieOf(logins.accept(logins.invite(source, false, "/")!)!.login)

  it("is valid for a day, also after a restart of the server", () => {
    const { value, seconds } = cookie(made())
    expect(seconds).toBe(day / 1000)
    expect(made(day - 1).logins.read(value)).toMatchObject({ name: "anna", stamp: "1", isReadOnly: false })
    expect(made(day).logins.read(value)).toBeUndefined()
  })

  it("ends with its token", () => {
    const { value, seconds } = cookie(made(), { ...anna, until: 5000 })
    expect(seconds).toBe(5)
    expect(made(5000).logins.read(value)).toBeUndefined()
  })

  it("is not valid with another payload, signature or secret", () => {
    const { value } = cookie(made())
    const [payload = "", signature = ""] = value.split(".")
    const forged = Buffer.from(JSON.stringify({ ...anna, name: "bert", id: "x", isReadOnly: false, until: day })).toString("base64url")
    const other = new Logins({ sign: (text) => sign(`other ${text}`), now: () => 0 })
    const { logins } = made()
    for (const wrong of ["", ".", payload, `${forged}.${signature}`, `${payload}.${sign(payload)}`, `${value}.x`, `${payload}.`])
      expect(logins.read(wrong)).toBeUndefined()
    expect(other.read(value)).toBeUndefined()
    expect(logins.read(value)).toBeDefined()
  })

  it("ends at a logout with it, and no other cookie does", () => {
    const all = made()
    const [first, second] = [cookie(all), cookie(all)]
    all.logins.logOut(first.value)
    all.logins.logOut("x")
    expect(all.logins.read(first.value)).toBeUndefined()
    expect(all.logins.read(second.value)).toBeDefined()
  })
})

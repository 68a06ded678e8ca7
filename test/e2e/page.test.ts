/** Y1 the page of the built server, over plain HTTP. Tests in a browser are in test/page. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { host, tokenCommand } from "./hosted.ts"
import { copiedServer } from "./server.ts"

/** A server with a page. */
const withPage = (): string => {
  const program = copiedServer()
  const folder = dirname(program)
  mkdirSync(join(folder, "page", "assets"), { recursive: true })
  writeFileSync(join(folder, "page", "index.html"), '<meta name="style-nonce" content="__NONCE__"><script src="/assets/a-1.js"></script>')
  writeFileSync(join(folder, "page", "assets", "a-1.js"), "f()\n".repeat(1000))
  return program
}

const at = (url: string, path: string, init: RequestInit = {}) => fetch(new URL(path, url), { redirect: "manual", ...init })

describe("Y1 the page", () => {
  it("is shown to a logged-in browser, with a new nonce and a strict policy", async () => {
    const own = await host([], { program: withPage() })
    const authorization = `Bearer ${tokenCommand(own.state, "show").text.trim()}`
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const reply = await at(own.url, "/", { headers: { authorization } })
        const nonce = /content="([^"]+)"/.exec(await reply.text())![1]!
        expect(reply.status).toBe(200)
        expect(Object.fromEntries(reply.headers)).toMatchObject({
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
          "x-content-type-options": "nosniff",
          "referrer-policy": "no-referrer",
          "cache-control": "no-store",
        })
        return nonce
      }),
    )
    expect(nonces[0]).not.toBe(nonces[1])
    expect(nonces[0]).toMatch(/^[\w-]{36}$/)
  })

  it("is a notice for any other browser, which says what to run", async () => {
    const own = await host([], { program: withPage() })
    for (const headers of [{}, { authorization: "Bearer x" }, { cookie: "k3=x" }]) {
      const reply = await at(own.url, "/", { headers })
      const text = await reply.text()
      expect([reply.status, text]).toEqual([401, expect.stringContaining("<code>k3-mcp open</code>")])
      expect(text).not.toContain("a-1.js")
      expect(reply.headers.get("content-security-policy")).toContain("default-src 'none'")
    }
  })

  it("has files that are cached for ever and compressed, and no others", async () => {
    const own = await host([], { program: withPage() })
    const reply = await at(own.url, "/assets/a-1.js", { headers: { "accept-encoding": "br" } })
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "content-encoding": "br",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      vary: "accept-encoding",
    })
    expect(await reply.text()).toBe("f()\n".repeat(1000))
    expect(await (await at(own.url, "/assets/a-1.js", { method: "HEAD" })).text()).toBe("")
    for (const path of ["/assets/", "/assets/b.js", "/assets/%2e%2e%2findex.html", "/assets/..%2f..%2fk3.js"])
      expect((await at(own.url, path)).status).toBe(404)
    const put = await at(own.url, "/assets/a-1.js", { method: "PUT" })
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, HEAD"])
    expect((await at(own.url, "/assets/a-1.js", { headers: { origin: "http://evil.example" } })).status).toBe(403)
  })
})

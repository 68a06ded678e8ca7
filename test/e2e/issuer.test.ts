/** N13 JWTs of an issuer: a real OpenID provider on loopback. */
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { Provider } from "oidc-provider"
import { describe, expect, it } from "vitest"
import { addToken, ask, callTool, connect, host, opening } from "./hosted.ts"
import { scratchFolder, start } from "./server.ts"
import { atEnd, shared } from "./shared.ts"

const audience = "https://k3.example.com/mcp"

type PrivateKey = Parameters<SignJWT["sign"]>[0]

interface Key {
  readonly sign: PrivateKey
  readonly jwk: JWK
}

const newKey = async (kid: string): Promise<Key> => {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true })
  return { sign: privateKey, jwk: { ...(await exportJWK(privateKey)), kid, alg: "RS256", use: "sig" } }
}

/** A provider whose clients get JWTs for the audience that they name. */
const openProvider = async (keys: readonly Key[], port = 0) => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = (id: string) => ({
    client_id: id,
    client_secret: `${id}-secret`,
    grant_types: ["client_credentials"],
    redirect_uris: [],
    response_types: [],
  })
  const provider = new Provider(address, {
    clients: [client("anna"), client("bert")],
    jwks: { keys: keys.map(({ jwk }) => jwk) },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_: unknown, resource: string) => ({
          scope: "",
          audience: resource,
          accessTokenFormat: "jwt",
          accessTokenTTL: 600,
        }),
      },
    },
  })
  server.on("request", provider.callback())
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  atEnd(close)
  const tokenFor = async (id: string, resource = audience): Promise<string> => {
    const reply = await fetch(`${address}/token`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", authorization: `Basic ${btoa(`${id}:${id}-secret`)}` },
      body: new URLSearchParams({ grant_type: "client_credentials", resource }),
    })
    const { access_token: token } = (await reply.json()) as { readonly access_token: string }
    expect(reply.status).toBe(200)
    return token
  }
  return { address, close, tokenFor }
}

const withIssuer = (issuer: string, ...more: readonly string[]) =>
  host(["--auth-issuer", issuer, "--auth-audience", audience, "--public-url", "https://k3.example.com", ...more])

const now = (): number => Math.floor(Date.now() / 1000)

describe("N13 a JWT", () => {
  const served = shared(async () => {
    const key = await newKey("1")
    const provider = await openProvider([key])
    return { key, provider, to: await withIssuer(provider.address) }
  })

  it("of the issuer gives a principal with a space of its own, beside the server's own tokens", async () => {
    const { provider, to } = await served()
    const [anna, bert] = [await connect(to, await provider.tokenFor("anna")), await connect(to, await provider.tokenFor("bert"))]
    await callTool(anna, "k_eval", { code: "x:5" })
    expect((await callTool(anna, "k_history", { action: "list" })).entries).toMatchObject([{ by: "anna", code: "x:5" }])
    expect((await callTool(bert, "k_eval", { code: "x" })).error.name).toBe("value")
    const again = await connect(to, await provider.tokenFor("anna"))
    expect(await callTool(again, "k_eval", { code: "x" })).toMatchObject({ output: "5\n" })
    // A token with the same name is another principal.
    const own = await connect(to, addToken(to.state, "anna"))
    expect((await callTool(own, "k_eval", { code: "x" })).error.name).toBe("value")
  })

  it("of another audience, issuer, key or algorithm, expired, not yet valid, or without a subject is refused; 30 s are tolerated", async () => {
    const { key, provider, to } = await served()
    const stranger = await newKey("1")
    const claims = { iss: provider.address, aud: audience, sub: "anna", exp: now() + 300 }
    const signed = (change: object = {}, sign: PrivateKey = key.sign, header: object = {}) =>
      new SignJWT({ ...claims, ...change }).setProtectedHeader({ alg: "RS256", kid: "1", ...header }).sign(sign)
    const status = async (token: string) => (await ask(to, token, opening)).status
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
    expect(await status(await signed())).toBe(200)
    expect(await status(await signed({ exp: now() - 10 }))).toBe(200)
    expect(await status(await signed({ nbf: now() + 10 }))).toBe(200)
    const refused = {
      expired: await signed({ exp: now() - 60 }),
      "not yet valid": await signed({ nbf: now() + 90 }),
      "never expires": await signed({ exp: undefined }),
      "another audience": await provider.tokenFor("anna", "https://other.example.com"),
      "no audience": await signed({ aud: undefined }),
      "another issuer": await signed({ iss: "https://evil.example.com" }),
      "another key": await signed({}, stranger.sign),
      "an unknown key": await signed({}, stranger.sign, { kid: "9" }),
      nobody: await signed({ sub: "" }),
      "no algorithm": `${part({ alg: "none", kid: "1" })}.${part(claims)}.`,
      "the public key as a secret": await new SignJWT(claims)
        .setProtectedHeader({ alg: "HS256", kid: "1" })
        .sign(new TextEncoder().encode(JSON.stringify(key.jwk.n))),
      changed: (await signed()).replace(/\.[^.]+\./, `.${part({ ...claims, sub: "bert" })}.`),
    }
    for (const [what, token] of Object.entries(refused)) expect([what, await status(token)]).toEqual([what, 401])
    expect(to.own.log()).not.toContain((await signed()).split(".")[0])
  })

  it("of a new key of the issuer is valid, and the server names the issuer", async () => {
    const first = await newKey("1")
    const provider = await openProvider([first])
    const to = await withIssuer(provider.address)
    const client = await connect(to, await provider.tokenFor("anna"))
    await callTool(client, "k_eval", { code: "x:5" })
    await provider.close()
    const rotated = await openProvider([await newKey("2"), first], Number(new URL(provider.address).port))
    const token = await rotated.tokenFor("anna")
    await expect.poll(async () => (await ask(to, token, opening)).status, { timeout: 10_000 }).toBe(200)
    expect(await callTool(await connect(to, token), "k_eval", { code: "x" })).toMatchObject({ output: "5\n" })

    const none = await ask(to, undefined, opening)
    const place = "https://k3.example.com/.well-known/oauth-protected-resource/mcp"
    expect([none.status, none.headers.get("www-authenticate")]).toEqual([401, `Bearer realm="k3-mcp", resource_metadata="${place}"`])
    expect((await ask(to, "a.b.c", opening)).headers.get("www-authenticate")).toContain('error="invalid_token"')
    for (const path of ["", "/mcp"])
      expect(await (await fetch(to.url.replace("/mcp", `/.well-known/oauth-protected-resource${path}`))).json()).toEqual({
        resource: "https://k3.example.com/mcp",
        authorization_servers: [provider.address],
        bearer_methods_supported: ["header"],
        resource_name: "k3-mcp",
      })
  })

  it("gets 503 while the issuer does not answer", async () => {
    const provider = await openProvider([await newKey("1")])
    const to = await withIssuer(provider.address)
    const token = await provider.tokenFor("anna")
    await provider.close()
    expect(await ask(to, token, opening)).toMatchObject({ status: 503, text: expect.stringContaining("does not answer") })
    const again = await openProvider([await newKey("1")], Number(new URL(provider.address).port))
    expect((await ask(to, await again.tokenFor("anna"), opening)).status).toBe(200)
  })

  it.each([
    [["--auth-issuer", "https://a.example.com"], "go together"],
    [["--auth-audience", "x"], "go together"],
    [["--auth-issuer", "http://a.example.com", "--auth-audience", "x"], "use https"],
    [["--auth-issuer", "http://127.example.com", "--auth-audience", "x"], "use https"],
  ])("%j is refused at the start", async (args, words) => {
    const own = start(["--listen", "127.0.0.1:0", "--state-dir", join(scratchFolder(), "state"), ...args])
    expect(await own.ended).toEqual({ code: 2, signal: null })
    expect(own.log()).toContain(words)
  })
})

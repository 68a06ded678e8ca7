/** N13: JWTs whose issuer does not answer, or has its metadata elsewhere. */
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished, vi } from "vitest"
import { issuerOf } from "../../src/platform/issuer.ts"

const audience = "https://k3.example.com/mcp"
const tenMinutes = 10 * 60

/** An issuer that answers a path with a text; without one it ends the connection. */
const issuing = async (textOf: (path: string, origin: string) => string | undefined) => {
  const { privateKey, publicKey } = await generateKeyPair("RS256")
  const jwk = { ...(await exportJWK(publicKey)), kid: "one", alg: "RS256" }
  const server = createServer(({ url = "", headers: { host } }, to) => {
    const text = url === "/jwks" ? JSON.stringify({ keys: [jwk] }) : textOf(url, `http://${host}`)
    return text === undefined ? void to.destroy() : void to.end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const now = Math.floor(Date.now() / 1000)
  const tokenOf = (issuer: string): Promise<string> =>
    new SignJWT({ sub: "anna" })
      .setProtectedHeader({ alg: "RS256", kid: "one" })
      .setIssuer(issuer)
      .setAudience(audience)
      .setExpirationTime(now + tenMinutes)
      .sign(privateKey)
  return { origin, now, tokenOf }
}

const metadata = (issuer: string, origin: string): string => JSON.stringify({ issuer, jwks_uri: `${origin}/jwks` })

it("N13 an expired JWT is wrong also while its issuer does not answer", async () => {
  let isAway = false
  const { origin, now, tokenOf } = await issuing((_, at) => (isAway ? undefined : metadata(at, at)))
  const token = await tokenOf(origin)
  const { verify } = issuerOf(origin, audience)
  expect(await verify(token)).toMatchObject({ name: "anna" })
  isAway = true
  vi.useFakeTimers({ toFake: ["Date"], now: (now + tenMinutes - 60) * 1000 })
  onTestFinished(() => void vi.useRealTimers())
  expect(await verify(token)).toMatchObject({ name: "anna" })
  vi.setSystemTime((now + tenMinutes + 60) * 1000)
  expect(await verify(token)).toBe("wrong")
})

it.each([
  "/team/.well-known/openid-configuration",
  "/.well-known/oauth-authorization-server/team",
  "/.well-known/openid-configuration/team",
])("N13 the keys of an issuer with a path are found by its metadata at %s, beside pages of a site", async (place) => {
  const { origin, tokenOf } = await issuing((path, at) => (path === place ? metadata(`${at}/team`, at) : "<!doctype html>"))
  const issuer = `${origin}/team`
  expect(await issuerOf(issuer, audience).verify(await tokenOf(issuer))).toMatchObject({ name: "anna" })
})

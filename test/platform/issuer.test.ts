/** N13: JWTs while their issuer does not answer. */
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished, vi } from "vitest"
import { issuerOf } from "../../src/platform/issuer.ts"

const audience = "https://k3.example.com/mcp"
const tenMinutes = 10 * 60

it("N13 an expired JWT is wrong also while its issuer does not answer", async () => {
  const { privateKey, publicKey } = await generateKeyPair("RS256")
  const jwk = { ...(await exportJWK(publicKey)), kid: "one", alg: "RS256" }
  let isAway = false
  const server = createServer(({ url, headers: { host } }, to) => {
    if (isAway) return void to.destroy()
    const issuer = `http://${host}`
    to.end(JSON.stringify(url === "/jwks" ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/jwks` }))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const now = Math.floor(Date.now() / 1000)
  const token = await new SignJWT({ sub: "anna" })
    .setProtectedHeader({ alg: "RS256", kid: "one" })
    .setIssuer(address)
    .setAudience(audience)
    .setExpirationTime(now + tenMinutes)
    .sign(privateKey)
  const { verify } = issuerOf(address, audience)
  expect(await verify(token)).toMatchObject({ name: "anna" })
  isAway = true
  vi.useFakeTimers({ toFake: ["Date"], now: (now + tenMinutes - 60) * 1000 })
  onTestFinished(() => void vi.useRealTimers())
  expect(await verify(token)).toMatchObject({ name: "anna" })
  vi.setSystemTime((now + tenMinutes + 60) * 1000)
  expect(await verify(token)).toBe("wrong")
})

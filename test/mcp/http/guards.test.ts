/** N2: the Host of a request. Y2: where a browser can log in. */
import { expect, it } from "vitest"
import { checkHead } from "../../../src/mcp/http/guards.ts"
import { localSpace, unlimited } from "../../../src/mcp/http/Principal.ts"

const check = async (host: string, isLoopback: boolean, path = "/mcp", publicUrl: string | null = null) => {
  const header = (name: string) => (name === "host" ? host : name === "authorization" ? "Bearer a" : undefined)
  const found = await checkHead(
    { method: "POST", path, header },
    {
      issuer: undefined,
      publicUrl,
      isLoopback,
      body: 1000,
      ending: () => false,
      excess: async () => undefined,
      recall: async () => undefined,
      admit: async () => ({ space: localSpace, name: undefined, credential: localSpace, readOnly: false, limits: unlimited }),
    },
  )
  return found !== undefined && "status" in found ? found : { status: 200, message: "" }
}
const statusOf = async (host: string, isLoopback = true) => (await check(host, isLoopback)).status

it("N2 a Host that is more than a name and a port is refused, as one whose port is none", async () => {
  for (const host of ["localhost:7333", "127.0.0.1", "[::1]:7333"]) expect(await statusOf(host), host).toBe(200)
  for (const host of ["user:word@localhost:7333", "localhost/a", "localhost?a", "localhost#a", "localhost\\a", ""])
    expect(await statusOf(host), host).toBe(403)
  expect(await statusOf("10.0.0.1:7333", false)).toBe(200)
  expect(await statusOf("10.0.0.1:99999", false)).toBe(403)
})

it("Y2 no link is made for an address at which browsers refuse the login: over plain HTTP beyond this machine", async () => {
  const invite = (host: string, publicUrl: string | null) => check(host, false, "/login", publicUrl)
  const proxy = "https://k3.example.com"
  for (const host of ["localhost:7333", "127.0.0.1:7333", "[::1]:7333"]) expect((await invite(host, null)).status, host).toBe(200)
  expect((await invite("k3.example.com", proxy)).status).toBe(200)
  expect(await invite("10.0.0.1:7333", null)).toEqual({
    status: 403,
    message: expect.stringMatching(/^A browser cannot log in at http:\/\/10\.0\.0\.1:7333: .* set K3_PUBLIC_URL to its address/),
  })
  expect((await invite("10.0.0.1:7333", proxy)).message).toContain(`Run k3-mcp open ${proxy}.`)
})

/** N2: the Host of a request. */
import { expect, it } from "vitest"
import { checkHead } from "../../../src/mcp/http/guards.ts"
import { localSpace, unlimited } from "../../../src/mcp/http/Principal.ts"

const statusOf = async (host: string, isLoopback = true) => {
  const header = (name: string) => (name === "host" ? host : name === "authorization" ? "Bearer a" : undefined)
  const found = await checkHead(
    { method: "POST", path: "/mcp", header },
    {
      issuer: undefined,
      publicUrl: null,
      isLoopback,
      body: 1000,
      ending: () => false,
      excess: async () => undefined,
      recall: async () => undefined,
      admit: async () => ({ space: localSpace, name: undefined, credential: localSpace, readOnly: false, limits: unlimited }),
    },
  )
  return found !== undefined && "status" in found ? found.status : 200
}

it("N2 a Host that is more than a name and a port is refused, as one whose port is none", async () => {
  for (const host of ["localhost:7333", "127.0.0.1", "[::1]:7333"]) expect(await statusOf(host), host).toBe(200)
  for (const host of ["user:word@localhost:7333", "localhost/a", "localhost?a", "localhost#a", "localhost\\a", ""])
    expect(await statusOf(host), host).toBe(403)
  expect(await statusOf("10.0.0.1:7333", false)).toBe(200)
  expect(await statusOf("10.0.0.1:99999", false)).toBe(403)
})

/** The check of a request's head. */
import { expect, it } from "vitest"
import { checkHead } from "../../../src/mcp/http/guards.ts"

const refused = async (): Promise<never> => {
  throw new Error("not asked")
}

it.each([
  ["localhost:7333", undefined],
  ["127.0.0.1", undefined],
  ["u:p@localhost", 403],
  ["localhost/x", 403],
  ["example.org", 403],
])("N2: Host %s", async (host, status) => {
  const head = { method: "GET", path: "/healthz", header: (name: string) => (name === "host" ? host : undefined) }
  const found = await checkHead(head, {
    issuer: undefined,
    publicUrl: null,
    isLoopback: true,
    body: 1,
    admit: refused,
    recall: refused,
    ending: () => false,
    excess: refused,
  })
  expect(found && "status" in found ? found.status : undefined).toBe(status)
})

/** Y2 `k3-mcp open` and the addresses that it is given. */
import { expect, it, onTestFinished, vi } from "vitest"
import { open } from "../../src/attach/open.ts"

const replies = (reply: () => Response) => {
  const fetched = vi.fn<(url: URL) => Promise<Response>>(async () => reply())
  vi.stubGlobal("fetch", fetched)
  onTestFinished(() => void vi.unstubAllGlobals())
  return fetched
}
const openAt = (target: string) => open({ target, isReadOnly: false, session: undefined, print: true }, { K3_TOKEN: "t" })

it("Y2 asks for the link at the server of an address, with whatever a browser added to it", async () => {
  const fetched = replies(() => Response.json({ code: "c", seconds: 60 }))
  for (const target of ["https://k3.example.com", "https://k3.example.com/mcp#/main/variables", "https://k3.example.com/mcp/?from=mail"]) {
    expect(await openAt(target)).toEqual({ text: "https://k3.example.com/login?code=c\n" })
    expect(fetched.mock.lastCall?.[0].href).toBe("https://k3.example.com/login")
  }
})

it("Y2 gives the server's words when it refuses: by the request's head, as a JSON-RPC error, or by its body", async () => {
  const problem = "Host is refused: use localhost."
  for (const error of [problem, { code: -32600, message: problem }]) {
    replies(() => Response.json({ error }, { status: 403 }))
    expect(await openAt("http://k3.example.com")).toEqual({ problem })
  }
})

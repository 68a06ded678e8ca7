/** Y2 `k3-mcp open` and the addresses that it is given. */
import { expect, it, onTestFinished, vi } from "vitest"
import { open } from "../../src/attach/open.ts"

it("Y2 asks for the link at the server of an address, with whatever a browser added to it", async () => {
  const fetched = vi.fn<(url: URL) => Promise<Response>>(async () => Response.json({ code: "c", seconds: 60 }))
  vi.stubGlobal("fetch", fetched)
  onTestFinished(() => void vi.unstubAllGlobals())
  for (const target of ["https://k3.example.com", "https://k3.example.com/mcp#/main/variables", "https://k3.example.com/mcp/?from=mail"]) {
    const opened = await open({ target, isReadOnly: false, session: undefined, print: true }, { K3_TOKEN: "t" })
    expect(opened).toEqual({ text: "https://k3.example.com/login?code=c\n" })
    expect(fetched.mock.lastCall?.[0].href).toBe("https://k3.example.com/login")
  }
})

/** The page's connection, over a client whose requests succeed without a server. */
import { Client } from "@modelcontextprotocol/client"
import { afterEach, expect, it, vi } from "vitest"
import { PageLink } from "../../../src/page/PageLink.ts"

afterEach(() => void vi.restoreAllMocks())

it("J1 a reply has no advice for agents", async () => {
  vi.spyOn(Client.prototype, "connect").mockResolvedValue()
  const structuredContent = {
    error: { name: "session", text: "There is no session a; open: none.\nCall k_session to list them; k_eval makes one by its first use." },
    notice:
      'x has no value. Call k_inspect without path to see the names there are.\n50 more are left out; k_inspect with cursor "100" goes on.',
  }
  vi.spyOn(Client.prototype, "callTool").mockResolvedValue({ content: [], structuredContent })
  const link = new PageLink({ url: new URL("http://127.0.0.1:1/mcp"), onState: () => {}, onChange: () => {} })
  await link.connect()
  expect((await link.call("k_eval", {})).structured).toEqual({
    error: { name: "session", text: "There is no session a; open: none." },
    notice: "x has no value.\n50 more are left out.",
  })
})

it("J2 a call that is under way when the connection is lost says that the server is gone", async () => {
  let end: (how: string) => void = () => {}
  const closed = new Promise<string>((resolve) => (end = resolve))
  let refuse: (error: Error) => void = () => {}
  vi.spyOn(Client.prototype, "connect").mockResolvedValue()
  vi.spyOn(Client.prototype, "listen").mockResolvedValue({ closed } as never)
  vi.spyOn(Client.prototype, "callTool").mockReturnValue(new Promise<never>((_, reject) => (refuse = reject)))
  vi.spyOn(Client.prototype, "close").mockImplementation(async () => refuse(new Error("Connection closed")))
  const link = new PageLink({ url: new URL("http://127.0.0.1:1/mcp"), onState: () => {}, onChange: () => {} })
  await link.connect()
  await link.watch(["k3://status"])
  const answer = link.call("k_eval", {})
  await vi.waitFor(() => expect(Client.prototype.callTool).toHaveBeenCalled())
  end("remote")
  await expect(answer).rejects.toThrow(/^The server is gone\.$/)
})

/** N10: the server that a console attaches to, and the token that it sends. */
import { mkdirSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished, vi } from "vitest"
import { badToken, findServer } from "../../src/attach/find.ts"
import { stateFolder } from "../../src/platform/stateFolder.ts"
import { scratchFolder } from "../repl/interpreter.ts"

const url = "http://127.0.0.1:7333/mcp"

const stateWith = (token?: string, at = url): string => {
  const state = scratchFolder()
  writeFileSync(join(state, "address"), JSON.stringify({ url: at, pid: 7 }))
  if (token !== undefined) writeFileSync(join(state, "token"), `${token}\n`)
  return state
}

it("N10 for an address the token is that of the environment", () => {
  expect(findServer("http://127.0.0.1:7333", "/", { K3_TOKEN: "t" })).toEqual({ url, token: "t", by: undefined })
  expect(findServer(url, "/", {})).toEqual({ problem: expect.stringContaining("K3_TOKEN is not set") })
  expect(findServer("http://", "/", { K3_TOKEN: "t" })).toEqual({ problem: expect.stringContaining("is no address") })
})

it("N10 for a state folder address and token are in the folder, and the token comes before that of the environment", () => {
  const state = stateWith("s")
  expect(findServer(state, "/", { K3_TOKEN: "t" })).toEqual({ url, token: "s", by: { folder: state, pid: 7 } })
  expect(findServer(undefined, "/", { K3_STATE_DIR: state })).toEqual({ url, token: "s", by: { folder: state, pid: 7 } })
  const without = stateWith()
  expect(findServer(without, "/", { K3_TOKEN: "t" })).toMatchObject({ token: "t" })
  expect(findServer(without, "/", {})).toEqual({ problem: expect.stringContaining("cannot be read") })
})

it.each(["http://0.0.0.0:7333/mcp", "http://[::]:7333/mcp", "http://10.0.0.7:7333/mcp", "http://127.example.com:7333/mcp"])(
  "N10 for a state folder whose server listens at %s the token is that of the environment, since the folder's is not accepted there",
  (at) => {
    const state = stateWith("s", at)
    const by = { folder: state, pid: 7 }
    expect(findServer(state, "/", { K3_TOKEN: "t" })).toEqual({ url: at, token: "t", by })
    expect(findServer(state, "/", {})).toEqual({ problem: expect.stringMatching(/beyond loopback\. Set K3_TOKEN to a principal's token/) })
    expect(badToken({ url: at, token: "t", by })).toContain("k3-mcp token add")
    expect(badToken({ url: "http://localhost:7333/mcp", token: "t", by: undefined })).toContain("k3-mcp token show")
  },
)

it("N10 for a state folder whose server listens at [::1] the token is in the folder", () => {
  const at = "http://[::1]:7333/mcp"
  expect(findServer(stateWith("s", at), "/", { K3_TOKEN: "t" })).toMatchObject({ url: at, token: "s" })
})

it("N10 a folder without a server, a damaged address and a missing folder are reported", () => {
  const state = scratchFolder()
  expect(findServer(state, "/", {})).toEqual({ problem: expect.stringContaining("k3-mcp --listen 127.0.0.1:0") })
  writeFileSync(join(state, "address"), '{"url":"x"}')
  expect(findServer(state, "/", {})).toEqual({ problem: expect.stringContaining("No server listens") })
  mkdirSync(join(state, "sub"))
  expect(findServer(join(state, "none"), "/", {})).toEqual({ problem: expect.stringContaining("There is no folder") })
})

it("N10 no token goes to an address that K code may have written into the working folder", () => {
  vi.stubEnv("XDG_STATE_HOME", scratchFolder())
  onTestFinished(() => void vi.unstubAllEnvs())
  const folder = realpathSync(stateWith(undefined, "http://k3.example.com/mcp"))
  expect(findServer(undefined, folder, { K3_TOKEN: "t" })).toEqual({ problem: expect.stringContaining("No server listens") })
  const state = stateFolder(folder)
  mkdirSync(state, { recursive: true })
  writeFileSync(join(state, "address"), JSON.stringify({ url, pid: 7 }))
  writeFileSync(join(state, "token"), "s\n")
  for (const target of [undefined, folder])
    expect(findServer(target, folder, { K3_TOKEN: "t" })).toEqual({ url, token: "s", by: { folder: state, pid: 7 } })
})

it("N10 a state folder that is named comes before the server of a folder around it, such as the home folder", () => {
  const home = realpathSync(scratchFolder())
  vi.stubEnv("XDG_STATE_HOME", join(home, ".local/state"))
  onTestFinished(() => void vi.unstubAllEnvs())
  const [named, around] = ["/project", home].map(stateFolder) as [string, string]
  for (const [folder, port] of [
    [named, 7334],
    [around, 7333],
  ] as const) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "address"), JSON.stringify({ url: `http://127.0.0.1:${port}/mcp`, pid: 7 }))
    writeFileSync(join(folder, "token"), "s\n")
  }
  expect(findServer(named, "/", {})).toMatchObject({ url: "http://127.0.0.1:7334/mcp", by: { folder: named } })
  expect(findServer(home, "/", {})).toMatchObject({ by: { folder: around } })
})

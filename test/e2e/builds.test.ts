/**
 * R7 builds in every bad state, on the built server: the reply names the fault, the old build stays, and a good build is taken afterwards. A
 * script replaces K3CSharp's program (`lib/toyChild.mjs`); tests that need .NET run if `K3_BUILD_DIR` names a build.
 */
import { chmodSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { writeBuild } from "../lib/toyBuild.ts"
import { isAlive } from "../lib/processes.ts"
import { begin, type RawServer, scratchFolder } from "./server.ts"
import { shared } from "./shared.ts"
import { inSession } from "./sharedServer.ts"

/** Makes a variable in the session of this server on a toy build in `out`. */
const withVariable = async (server: RawServer, out: string, code = "a:5") => {
  const evaluate = async (code: string): Promise<string> => (await server.call("k_eval", { code })).structuredContent.output
  await evaluate(code)
  const status = async () => (await server.call("k_status")).structuredContent
  const text = async (args: object = {}) => (await server.call("k_reload", args)).content[0].text as string
  return { ...server, out, evaluate, status, text }
}

/** A server on a toy build in `<folder>/out`, with a session that has a variable. */
const working = async (
  folder: string,
  flags: readonly string[] = [],
  environment: NodeJS.ProcessEnv = { K3_STATE_DIR: "none" },
  code?: string,
) => {
  const out = join(folder, "out")
  writeBuild(out, "times 0")
  const server = await begin(["--engine", "k3csharp", "--build-dir", out, "--restart-max-delay", "1ms", ...flags], environment)
  return withVariable(server, out, code)
}

describe.skipIf(process.platform === "win32")("R7 a build that", () => {
  const began = shared(() => working(scratchFolder()))
  /** A session of its own on a shared server, whose build is good at first. */
  const workingIn = async (session: string) => {
    const { out, ...server } = await began()
    rmSync(out, { recursive: true })
    writeBuild(out, "times 0")
    return withVariable(inSession(server, session), out)
  }

  it("is deleted under a session: it goes on, comes back after a crash, and reload names the missing file", async () => {
    const { out, evaluate, status, text } = await working(scratchFolder())
    rmSync(out, { recursive: true })
    expect(await evaluate("a")).toBe("5")
    const { pid } = await status()
    process.kill(pid, "SIGKILL")
    while ((await status()).generation === 1);
    expect(await evaluate("1+1")).toBe("2")
    expect(await text()).toMatch(
      /^Nothing changed: generation 2 still runs build \w+ with its variables\.\nNo K3CSharp build in .*: the folder is missing/,
    )
    expect(await evaluate("2*3")).toBe("6")
    writeBuild(out, "times 1")
    expect(await text()).toContain("Generation 3 runs build")
    expect(await evaluate("2*3")).toBe("7")
  })

  it("is not there at the start: reported with the command that makes one, and used when it is made", async () => {
    const folder = scratchFolder()
    const server = await begin(["--engine", "k3csharp", "--build-dir", join(folder, "out")], { K3_STATE_DIR: "none" })
    const first = await server.call("k_eval", { code: "1+1" })
    expect(first.isError).toBe(true)
    expect(first.content[0].text).toContain("dotnet build")
    writeBuild(join(folder, "out"), "times 0")
    expect((await server.call("k_reload")).structuredContent.ok).toBe(true)
    expect((await server.call("k_eval", { code: "1+1" })).structuredContent.output).toBe("2")
  })

  it("has no main file, or is a file itself: reported", async () => {
    const { out, text, evaluate } = await workingIn("missing")
    rmSync(join(out, "K3CSharp.dll"))
    expect(await text()).toContain("K3CSharp.dll is missing")
    rmSync(out, { recursive: true })
    writeFileSync(out, "")
    expect(await text()).toContain("Nothing changed: generation 1")
    expect(await evaluate("a")).toBe("5")
  })

  it("is half written: the reason is the end of its standard error", async () => {
    const { out, text, evaluate } = await workingIn("half")
    truncateSync(join(out, "K3CSharp"), Math.floor(readFileSync(join(out, "K3CSharp")).length / 2))
    const said = await text()
    expect(said).toContain("Nothing changed: generation 1")
    expect(said).toMatch(/ended with exit code 1 before it was ready[^]*Error: /)
    expect(await evaluate("a")).toBe("5")
    writeBuild(out, "times 1")
    expect(await text()).toContain("1 variable is back")
    expect(await evaluate("a*1")).toBe("6")
  })

  it("is replaced all the time: refused after a while, or an unchanging build is used; never a mixture", async () => {
    const { out, text, evaluate, status } = await working(scratchFolder())
    let i = 1
    // The number is at both ends of the file, so that they differ in a mixture. A writer that the system suspends half-way leaves a partial file,
    // which looks like a finished build.
    const writer = setInterval(() => writeFileSync(join(out, "K3CSharp.dll"), `times ${i}${" ".repeat(200_000)}end ${i++}`), 1)
    const said = await text().finally(() => clearInterval(writer))
    expect(said).toMatch(/Nothing changed: generation 1[^]*(?:its files kept changing|its main file is empty)|^Generation 2 runs/)
    const { shadow } = await status()
    const copy = readFileSync(join(shadow, "K3CSharp.dll"), "utf8")
    expect(copy).toMatch(/^times 0$|^times (\d+) *(?:end \1)?$/)
    expect(await evaluate("a+0")).toBe("5")
    expect(await text()).toMatch(/Generation [23] runs/)
    expect(await evaluate("0*0")).toBe(String(i - 1))
  })

  it("is not executable: reported with the system's error", async () => {
    const { out, text, evaluate } = await workingIn("mode")
    // A build of no other test: the server keeps its copies.
    writeBuild(out, "times 3")
    chmodSync(join(out, "K3CSharp"), 0o644)
    const said = await text()
    expect(said).toMatch(/Nothing changed: generation 1/)
    expect(said).toMatch(/permission denied|EACCES/i)
    expect(await evaluate("a")).toBe("5")
  })

  it("wants another runtime: its own error is quoted", async () => {
    const { out, text } = await workingIn("runtime")
    writeFileSync(join(out, "K3CSharp"), "#!/bin/sh\necho 'You must install or update .NET to run this application.' >&2\nexit 150\n")
    expect(await text()).toMatch(/exit code 150 before it was ready[^]*You must install or update \.NET/)
  })

  it("lies in a folder with blanks, quotes and letters of other alphabets: built, launched, copied, checked", async () => {
    const folder = join(scratchFolder(), `a b 'c' "d" $e é 日本 ;`)
    mkdirSync(folder)
    writeBuild(join(folder, "src"), "times 1")
    const config = join(folder, "k3.json")
    writeFileSync(
      config,
      JSON.stringify({
        buildCommand: `cp -p '${folder.replaceAll("'", String.raw`'\''`)}/src/'* '${folder.replaceAll("'", String.raw`'\''`)}/out/'`,
      }),
    )
    const { evaluate, call } = await working(folder, ["--config", config])
    const done = await call("k_reload", { build: true, check: ["a*1"] })
    expect(done.content[0].text).toContain("The check differs")
    expect(done.structuredContent).toMatchObject({ ok: true, checks: { differing: 1 } })
    expect(await evaluate("a*1")).toBe("6")
  })

  it("is refused leaves the session's variables on disk, also when they were to be dropped", async () => {
    const folder = scratchFolder()
    const environment = { K3_STATE_DIR: join(folder, "state"), K3_PERSIST_EVERY: "1" }
    const first = await working(folder, [], environment)
    await expect.poll(async () => (await first.status()).disk?.behind).toBe(0)
    writeFileSync(join(first.out, "K3CSharp.dll"), "die")
    expect(await first.text({ preserve_state: false })).toMatch(/Nothing changed: generation 1[^]*it was built to die/)
    first.process.stdin!.end()
    await first.ended
    const second = await working(folder, [], environment, "a*3")
    expect(await second.evaluate("a")).toBe("5")
    expect(await second.text({ preserve_state: false })).toContain("Variables are gone, as asked.")
    second.process.stdin!.end()
    await second.ended
    const third = await working(folder, [], environment, "b:1")
    expect(await third.evaluate("b")).toBe("1")
    expect((await third.call("k_eval", { code: "a" })).structuredContent.ok).toBe(false)
  })

  it("takes long to make: progress shows the compiler's last line, a cancel ends it and is not answered", async () => {
    const { messages, send, message, call, status } = await working(scratchFolder(), ["--build-command", "echo compiler $$; sleep 1000"])
    send({ id: "build", method: "tools/call", params: { name: "k_reload", arguments: { build: true }, _meta: { progressToken: "p" } } })
    const progress = await message(
      ({ method, params }) => method === "notifications/progress" && JSON.stringify(params).includes("compiler"),
    )
    const pid = Number(/compiler (\d+)/.exec(JSON.stringify(progress.params))![1])
    expect(isAlive(pid)).toBe(true)
    expect((await status()).doing).toBe(`building: compiler ${pid}`)
    expect((await call("k_eval", { code: "a" })).structuredContent.output).toBe("5")
    send({ method: "notifications/cancelled", params: { requestId: "build" } })
    while (isAlive(pid)) await new Promise((resolve) => setImmediate(resolve))
    // The server hears of that end a moment later.
    await expect.poll(async () => (await status()).doing).toBeUndefined()
    expect(messages.some(({ id }) => id === "build")).toBe(false)
  })

  it("is being made when the server is killed: the compiler's group does not outlive it", async () => {
    const { process: server, send, call } = await working(scratchFolder(), ["--build-command", "sleep 1000 & echo compiler $$ $!; wait"])
    send({ id: "build", method: "tools/call", params: { name: "k_reload", arguments: { build: true } } })
    let pids: readonly number[] = []
    while (pids.length === 0) {
      const { doing = "" } = (await call("k_status")).structuredContent as { readonly doing?: string }
      pids = /compiler (\d+) (\d+)/.exec(doing)?.slice(1).map(Number) ?? []
    }
    server.kill("SIGKILL")
    while (pids.some(isAlive)) await new Promise((resolve) => setImmediate(resolve))
  })
})

const real = process.env["K3_BUILD_DIR"]

describe.skipIf(real === undefined)(`R7 K3CSharp${real === undefined ? ": skipped, K3_BUILD_DIR names no build" : ""}`, () => {
  it("that finds no runtime of its version is reported with the next step", async () => {
    const server = await begin(["--engine", "k3csharp", "--build-dir", real!], { DOTNET_ROLL_FORWARD: "Disable", K3_STATE_DIR: "none" })
    const { isError, content } = await server.call("k_eval", { code: "1+1" })
    expect(isError).toBe(true)
    expect(content[0].text).toMatch(/exit code 150[^]*k_reload/)
  })

  it("R3 R4 is reloaded with its variables and checked against itself", async () => {
    const server = await begin(["--engine", "k3csharp", "--build-dir", real!], { DOTNET_ROLL_FORWARD: "Major", K3_STATE_DIR: "none" })
    await server.call("k_eval", { code: "f:{x*2}\nv:1 2 3" })
    const done = await server.call("k_reload", { check: ["f v", "v+1", "f 1"] })
    expect(done.structuredContent).toMatchObject({ ok: true, generation: 2, restored: 2, checks: { items: 3, differing: 0 } })
    expect((await server.call("k_eval", { code: "v" })).structuredContent.output).toBe("1 2 3")
  })
})

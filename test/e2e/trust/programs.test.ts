/** G3, G4, G5, G7: programs that K code might start, and secrets in the environment, on the built server. See also `k3csharpShell.test.ts`. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { writeStandIn } from "../../lib/standIn.ts"
import { startChild } from "../../repl/interpreter.ts"
import { evaluate, k3csharpBuild, scratchFolder, statusOf } from "../server.ts"
import { open } from "./open.ts"

const canTrace = spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0

describe("G3 with the shell off", () => {
  const attempts = (folder: string): readonly string[] => [
    String.raw`\touch ${folder}/made`,
    String.raw`  \touch ${folder}/made`,
    String.raw`."\\touch ${folder}/made"`,
    String.raw`f:{."\\touch ${folder}/made"};f 0`,
    String.raw`\t \touch ${folder}/made`,
    String.raw`("\\touch ";"${folder}/made")`,
    String.raw`.("\\","touch ${folder}/made")`,
    String.raw`@[.;"\\touch ${folder}/made";:]`,
    String.raw`.'("\\touch ${folder}/made";"1")`,
    String.raw`\l ${folder}/script`,
    String.raw`"libc.so.6" 2:(\`system;1)`,
    "3:(`;1234)",
    `4:"\\\\touch ${folder}/made"`,
    `\\v;touch ${folder}/made`,
    `\u0085\\touch ${folder}/made`,
    `1\r\\touch ${folder}/made`,
  ]
  const executions = (trace: string): readonly string[] =>
    readFileSync(trace, "utf8")
      .split("\n")
      .filter((line) => /execve\(|\b(?:v?fork)\(/.test(line) || (/\bclone3?\(/.test(line) && !line.includes("CLONE_THREAD")))

  it.skipIf(!canTrace)(
    `the embedded interpreter starts no process, by strace${canTrace ? "" : ": skipped, there is no strace here"}`,
    async () => {
      const folder = realpathSync(scratchFolder())
      writeFileSync(join(folder, "script.k"), `\\touch ${folder}/made\n."\\\\touch ${folder}/made"\n`)
      const traced = async (name: string, flags: readonly string[], lines: readonly string[]): Promise<readonly string[]> => {
        const trace = join(folder, name)
        const under = ["strace", "-f", "-qq", "-e", "trace=execve,fork,vfork,clone,clone3", "-o", trace]
        const child = await startChild(["--roots", folder, ...flags], folder, under)
        for (const line of lines) await child.ask(line.replaceAll("\n", "\x1f"))
        child.process.stdin!.end()
        await child.ended
        return executions(trace)
      }
      // Itself.
      expect(await traced("off", [], attempts(folder))).toHaveLength(1)
      expect(existsSync(join(folder, "made"))).toBe(false)
      expect((await traced("on", ["--shell", "allow"], [String.raw`\true`])).length).toBeGreaterThan(1)
    },
  )

  it("each attempt is an error of K, and no program runs", async () => {
    const folder = realpathSync(scratchFolder())
    writeFileSync(join(folder, "script.k"), `\\touch ${folder}/made\n`)
    const own = await open(["--roots", folder])
    for (const code of attempts(folder)) await evaluate(own, code)
    expect(await evaluate(own, String.raw`\touch ${folder}/made`)).toMatchObject({ ok: false, error: { name: "access" } })
    expect(existsSync(join(folder, "made"))).toBe(false)
  })

  it.skipIf(k3csharpBuild === undefined)(
    `G4 K3CSharp gets no shell command, in any recognisable form${k3csharpBuild === undefined ? ": skipped, K3_BUILD_DIR names no build" : ""}`,
    async () => {
      const own = await open(["--build-dir", k3csharpBuild!], {}, "k3csharp")
      const said = [
        String.raw`\pwd`,
        "1\r\\pwd",
        "\u0085\\pwd",
        "\u200b\\pwd",
        "\x1c\\pwd",
        "\0\\pwd",
        String.raw`\?;pwd`,
        "\\v\u00a0;pwd",
        String.raw`\d^;pwd`,
        String.raw`."\\pwd"`,
        String.raw`f:{."\\pwd"};f[]`,
        String.raw`\t ."\\pwd"`,
        String.raw`."\134pwd"`,
        "(1;\r\\pwd\r)",
        '"\r\\pwd\r"',
      ]
      for (const code of said)
        expect([code, JSON.stringify(await evaluate(own, code))]).toEqual([code, expect.not.stringContaining("k3-mcp-test-")])
      const { fence, notice } = await statusOf(own)
      expect(notice ?? fence).toMatch(/^bubblewrap|Without a fence/)
      expect((await statusOf(own)).generation).toBe(1)
      const { structuredContent } = await own.call("k_compare", { code: String.raw`."\\pwd"`, between: "engines" })
      expect(JSON.stringify(structuredContent)).not.toContain("k3-mcp-test-")
    },
  )
})

describe.skipIf(process.platform === "win32")("G13 a folder of the PATH in a root", () => {
  it("that was missing when the server started is not searched: K code could have made it", async () => {
    const folder = realpathSync(scratchFolder())
    const build = writeStandIn("", join(scratchFolder(), "build"))
    const made = join(scratchFolder(), "made")
    const flags = ["--build-dir", build, "--build-command", "k3-test-builder", "--roots", folder]
    const own = await open(flags, { PATH: `${folder}/node_modules/.bin:${process.env["PATH"]}` }, "k3csharp")
    await evaluate(own, "1+1")
    mkdirSync(join(folder, "node_modules/.bin"), { recursive: true })
    writeFileSync(join(folder, "node_modules/.bin/k3-test-builder"), `#!/bin/sh\ntouch ${made}\n`, { mode: 0o755 })
    const reply = JSON.stringify(await own.call("k_reload", { build: true }))
    expect([existsSync(made), reply]).toEqual([false, expect.stringContaining("k3-test-builder: not found")])
  })
})

/** The variables that a child may see: the list in README, written a second time. */
const maySee =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|TZ|LANG|LANGUAGE|TMPDIR|TMP|TEMP|LC_\w+|DOTNET_\w+|COMPlus_\w+|ICU_\w+|MALLOC_\w+|MSBUILD\w+|NUGET\w*|XDG_\w+|SSL_CERT_\w+|(?:HTTPS?|NO)_PROXY|(?:https?|no)_proxy|UseSharedCompilation|PWD|SHLVL|_|OLDPWD)$/
const secrets = {
  AWS_SECRET_ACCESS_KEY: "s3cret-aws",
  GITHUB_TOKEN: "s3cret-github",
  ANTHROPIC_API_KEY: "s3cret-key",
  DATABASE_URL: "postgres://u:s3cret-db@h/d",
  PATH_OF_SECRET: "s3cret-path",
  LD_PRELOAD_X: "s3cret-preload",
  NODE_OPTIONS: "--title=s3cret-node",
  K3_SECRET: "s3cret-k3",
}

describe.skipIf(process.platform !== "linux")("G5 the environment", () => {
  const namesIn = (block: string): readonly string[] =>
    block
      .split(/[\0\n]/)
      .filter((each) => each !== "")
      .map((each) => each.split("=")[0]!)
  const withoutOurs = (environment: NodeJS.ProcessEnv) => ({ ...environment, K3_SECRET: undefined })

  it("the embedded interpreter and K see only the allowed variables", async () => {
    const own = await open([], withoutOurs(secrets))
    expect(await evaluate(own, '_getenv "GITHUB_TOKEN"')).toMatchObject({ ok: true, output: expect.not.stringContaining("s3cret") })
    const block = readFileSync(`/proc/${(await statusOf(own)).pid}/environ`, "utf8")
    expect(namesIn(block)).toContain("PATH")
    expect(namesIn(block).filter((name) => !maySee.test(name))).toEqual([])
    expect(block).not.toContain("s3cret")
  })

  it("nor do a K3CSharp build, the build command, or the guard process see more", async () => {
    const folder = scratchFolder()
    const build = writeStandIn("", join(folder, "build"))
    const flags = ["--build-dir", build, "--build-command", `env > '${folder}/seen'; exit 1`]
    const own = await open(flags, withoutOurs(secrets), "k3csharp")
    await evaluate(own, "1+1")
    const { pid } = await statusOf(own)
    const block = readFileSync(`/proc/${pid}/environ`, "utf8")
    expect(namesIn(block).filter((name) => !maySee.test(name))).toEqual([])
    await own.call("k_reload", { build: true })
    const seen = readFileSync(join(folder, "seen"), "utf8")
    expect(namesIn(seen)).toContain("PATH")
    expect(namesIn(seen).filter((name) => !maySee.test(name))).toEqual([])
    expect(block + seen).not.toContain("s3cret")
  })
})

describe("G7 text", () => {
  it("in replies, on standard error and in crash records holds no value of the environment", async () => {
    const environment = { ...secrets, K3_SECRET: undefined, K3_LOG_LEVEL: "debug", MCP_DEBUG: "1" }
    const build = writeStandIn("")
    const all: string[] = []
    for (const [engine, flags] of [
      ["embedded", []],
      ["k3csharp", ["--build-dir", build, "--build-command", "echo failed; exit 2"]],
      ["k3csharp", ["--build-dir", writeStandIn("exits at once")]],
      ["k3csharp", ["--build-dir", "/nonexistent"]],
    ] as const) {
      const own = await open([...flags, "--eval-timeout", "200ms", "--restart-crashes", "2"], environment, engine)
      for (const code of [
        "1+`a",
        "fault exit",
        "fault nothing at all",
        "while[1;a:1]",
        String.raw`\env`,
        '_getenv "GITHUB_TOKEN"',
        '0:"/proc/self/environ"',
        "_exit 3",
      ])
        await evaluate(own, code)
      await own.call("k_reload", { build: true })
      await own.call("k_history", { action: "crash" })
      await own.call("k_status")
      await own.request("resources/read", { uri: "k3://crashes/1" })
      own.write("{ nonsense\n")
      await own.call("nothing")
      own.process.stdin!.end()
      await own.ended
      all.push(JSON.stringify(own.messages), own.log())
    }
    expect(all.join("\n").length).toBeGreaterThan(10_000)
    expect(all.join("\n")).not.toContain("s3cret")
  })
})

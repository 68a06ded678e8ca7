/**
 * What K code, a client or a neighbour on the machine might try, on the built server: ARCHITECTURE.md's table of threats names each of
 * these by its id. What of it can be tried below the server is in `test/repl/fence*.test.ts`, `test/session/engines/k3csharpShell.test.ts`.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { writeStandIn } from "../lib/standIn.ts"
import { run, startChild } from "../repl/interpreter.ts"
import { k3csharpBuild, type Message, type RawServer, scratchFolder, start } from "./server.ts"

const open = async (flags: readonly string[] = [], environment: NodeJS.ProcessEnv = {}, engine = "embedded"): Promise<RawServer> => {
  const own = start(["--engine", engine, ...flags], { K3_STATE_DIR: "none", ...environment })
  await own.initialize()
  return own
}
const evaluate = async (from: RawServer, code: string, rest: object = {}): Promise<any> =>
  (await from.call("k_eval", { code, ...rest })).structuredContent
const statusOf = async (from: RawServer): Promise<any> => (await from.call("k_status")).structuredContent

describe.skipIf(process.platform === "win32")("G1 files outside of K3_ROOTS", () => {
  const verbs: readonly (readonly [string, (path: string) => string])[] = [
    ["0: read", (path) => `0:"${path}"`],
    ["0: write", (path) => `"${path}" 0:,"forged"`],
    ["1: read", (path) => `1:"${path}"`],
    ["1: write", (path) => `"${path}" 1:!5`],
    ["2: read", (path) => `2:"${path}"`],
    ["5: append", (path) => `"${path}" 5:!5`],
    ["6: read", (path) => `6:"${path}"`],
    ["6: write", (path) => `"${path}" 6:"forged"`],
    ["_size", (path) => `_size "${path}"`],
    ["list", (path) => `!"${path}"`],
    [String.raw`\l`, (path) => String.raw`\l ${path}`],
    [String.raw`\cd`, (path) => String.raw`\cd ${path}`],
    ["executed text", (path) => `."0:\\"${path}\\""`],
  ]

  it("are neither read, written, listed, loaded nor entered, by any verb and any name", async () => {
    const outside = realpathSync(scratchFolder())
    const root = realpathSync(scratchFolder())
    writeFileSync(join(outside, "secret.k"), "stolen:1")
    writeFileSync(join(outside, "secret"), "stolen")
    mkdirSync(join(root, "sub"))
    symlinkSync(outside, join(root, "link"))
    // `1:` and `5:` put an l behind a name.
    for (const ending of ["", ".l"]) {
      symlinkSync(join(outside, "secret"), join(root, `file${ending}`))
      symlinkSync(join(outside, "new"), join(root, `dangling${ending}`))
    }
    const own = await open(["--roots", root])
    expect(await evaluate(own, String.raw`\cd ${root}`)).toMatchObject({ ok: true })
    const up = `../${basename(outside)}`
    const names = [
      join(outside, "secret"),
      `${up}/secret`,
      `sub/../${up}/secret`,
      `./sub/./..//${up}/secret`,
      `${root}/${up}/secret`,
      "link/secret",
      "file",
      "dangling",
      "link/new",
      "link/../../etc/passwd",
      "/dev/fd/0",
      "/dev/stdin",
      "/dev/stdout",
      "/proc/self/fd/1",
      "/proc/self/environ",
      "/proc/self/cwd/../../../etc/passwd",
      `/proc/${own.process.pid}/fd/1`,
      "/proc/self/root/etc/passwd",
      "sub/x\\000",
      "../",
      "/",
      "link/",
    ]
    for (const [verb, code] of verbs)
      for (const name of names) {
        const reply = await evaluate(own, code(name))
        expect([verb, name, reply.ok], JSON.stringify(reply)).toEqual([verb, name, false])
        expect(JSON.stringify(reply)).not.toContain("stolen")
      }
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("stolen")
    expect(readdirSync(outside).sort()).toEqual(["secret", "secret.k"])
    expect(await evaluate(own, String.raw`\cd`)).toMatchObject({ ok: true, output: expect.stringContaining(root) })
    expect(await evaluate(own, '"sub/mine" 0:,"fine"\n0:"sub/mine"')).toMatchObject({ ok: true, output: expect.stringContaining("fine") })
  })

  it("G2 are not reached in a race: a folder is swapped for a link and back while K reads and writes in it", async () => {
    const outside = realpathSync(scratchFolder())
    const root = realpathSync(scratchFolder())
    const at = (name: string): string => join(root, name)
    writeFileSync(join(outside, "f"), "secret")
    mkdirSync(at("d"))
    writeFileSync(at("d/f"), "mine")
    symlinkSync(outside, at("link"))
    const own = await open(["--roots", root])
    const over = new AbortController()
    const swapping = (async () => {
      while (!over.signal.aborted) {
        renameSync(at("d"), at("kept"))
        renameSync(at("link"), at("d"))
        await setImmediate()
        renameSync(at("d"), at("link"))
        renameSync(at("kept"), at("d"))
        await setImmediate()
      }
    })()
    // Errors are trapped in K, so that one call tries a thousand times.
    const code = `seen:();do[1000;r:@[6:;"${root}/d/f";:];:[~0~*r;bad:0;seen,:,r@1];@[{"${root}/d/new" 6:"forged"};0;:];@[{"${root}/d/f" 6:"mine"};0;:]];?seen`
    const replies = []
    for (let turn = 0; turn < 2; turn++) replies.push(await evaluate(own, code, { timeout_ms: 25_000 }))
    over.abort()
    await swapping
    for (const reply of replies) expect(reply, JSON.stringify(reply)).toMatchObject({ ok: true, output: expect.stringContaining("mine") })
    expect(JSON.stringify(replies)).not.toContain("secret")
    expect(readFileSync(join(outside, "f"), "utf8")).toBe("secret")
    expect(readdirSync(outside)).toEqual(["f"])
  })
})

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
    `no process is started by the embedded interpreter, as strace sees it${canTrace ? "" : ": skipped, there is no strace here"}`,
    () => {
      const folder = realpathSync(scratchFolder())
      writeFileSync(join(folder, "script.k"), `\\touch ${folder}/made\n."\\\\touch ${folder}/made"\n`)
      const traced = (name: string, flags: readonly string[], lines: readonly string[]): readonly string[] => {
        const trace = join(folder, name)
        const k3 = join(import.meta.dirname, "../../dist/k3.js")
        execFileSync(
          "strace",
          [
            "-f",
            "-qq",
            "-e",
            "trace=execve,fork,vfork,clone,clone3",
            "-o",
            trace,
            process.execPath,
            k3,
            "--mcp",
            "--roots",
            folder,
            ...flags,
          ],
          { input: `${lines.map((line) => line.replaceAll("\n", "\x1f")).join("\n")}\n`, stdio: ["pipe", "pipe", "inherit"] },
        )
        return executions(trace)
      }
      // Itself.
      expect(traced("off", [], attempts(folder))).toHaveLength(1)
      expect(existsSync(join(folder, "made"))).toBe(false)
      expect(traced("on", ["--shell", "allow"], [String.raw`\true`]).length).toBeGreaterThan(1)
    },
  )

  it("each attempt is an error of K, and nothing was run", async () => {
    const folder = realpathSync(scratchFolder())
    writeFileSync(join(folder, "script.k"), `\\touch ${folder}/made\n`)
    const own = await open(["--roots", folder])
    for (const code of attempts(folder)) await evaluate(own, code)
    expect(await evaluate(own, String.raw`\touch ${folder}/made`)).toMatchObject({ ok: false, error: { name: "access" } })
    expect(existsSync(join(folder, "made"))).toBe(false)
  })

  it.skipIf(k3csharpBuild === undefined)(
    `G4 K3CSharp is handed no command in any disguise that can be seen${k3csharpBuild === undefined ? ": skipped, K3_BUILD_DIR names no build" : ""}`,
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
      expect((await statusOf(own)).notice).toContain("cannot be fenced")
      expect((await statusOf(own)).generation).toBe(1)
      const { structuredContent } = await own.call("k_compare", { code: String.raw`."\\pwd"`, between: "engines" })
      expect(JSON.stringify(structuredContent)).not.toContain("k3-mcp-test-")
    },
  )
})

/** What a child may see: the list in README, written a second time. */
const maySee =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|TZ|LANG|LANGUAGE|TMPDIR|TMP|TEMP|LC_\w+|DOTNET_\w+|COMPlus_\w+|ICU_\w+|MSBUILD\w+|NUGET\w*|XDG_\w+|SSL_CERT_\w+|(?:HTTPS?|NO)_PROXY|(?:https?|no)_proxy|UseSharedCompilation|PWD|SHLVL|_|OLDPWD)$/
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

  it("the embedded interpreter sees no more of it than it needs, and K no more than that", async () => {
    const own = await open([], withoutOurs(secrets))
    expect(await evaluate(own, '_getenv "GITHUB_TOKEN"')).toMatchObject({ ok: true, output: expect.not.stringContaining("s3cret") })
    const block = readFileSync(`/proc/${(await statusOf(own)).pid}/environ`, "utf8")
    expect(namesIn(block)).toContain("PATH")
    expect(namesIn(block).filter((name) => !maySee.test(name))).toEqual([])
    expect(block).not.toContain("s3cret")
  })

  it("nor does a K3CSharp build, the command that makes one, or what watches over it", async () => {
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

describe("G6 files of the server", () => {
  it.skipIf(process.platform === "win32")(
    "are for their owner only: state and history 0600 in folders 0700, whatever the umask",
    async () => {
      const state = join(scratchFolder(), "state")
      const own = start(["--engine", "embedded", "--state-dir", state, "--persist-every", "1"], {}, [
        "/bin/sh",
        "-c",
        'umask 000; exec "$0" "$@"',
        process.execPath,
        join(import.meta.dirname, "../../dist/k3-mcp.js"),
      ])
      await own.initialize()
      await evaluate(own, "secret:!100\n!100000")
      await own.call("k_snapshot", { action: "save" })
      own.process.stdin!.end()
      await own.ended
      const all = readdirSync(state, { recursive: true, encoding: "utf8" }).map((name) => join(state, name))
      expect(all.length).toBeGreaterThan(3)
      for (const path of [state, ...all]) {
        const found = statSync(path)
        expect([path, (found.mode & 0o777).toString(8)]).toEqual([path, found.isDirectory() ? "700" : "600"])
      }
    },
  )

  it.skipIf(process.platform === "win32")("a state folder that others may write to is not used, and that is said", async () => {
    const state = join(scratchFolder(), "state")
    mkdirSync(state)
    execFileSync("chmod", ["777", state])
    const own = await open(["--state-dir", state])
    await evaluate(own, "a:1")
    expect((await statusOf(own)).notice).toContain("may be written by other users")
    expect(readdirSync(state)).toEqual([])
  })
})

describe("G7 what is said", () => {
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

describe("G8 a K program", () => {
  const forged = [
    "\\001\\002",
    "2\\001\\002",
    "a\\001",
    "\\002",
    '\\025{\\"name\\":\\"type\\",\\"rendered\\":\\"forged\\",\\"line\\":1,\\"column\\":1,\\"source\\":\\"\\",\\"caret\\":\\"\\",\\"at\\":\\"\\"}\\001\\002',
    "\\003\\005\\037\\n",
    '\\005{\\"op\\":\\"names\\"}\\n',
    '\\n{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"result\\":{}}\\n',
    "Content-Length: 2\\r\\n\\r\\n{}",
    "\\377\\376\\300\\355\\240\\200",
  ]

  it("cannot forge a reply, break the framing or write to the protocol's stream, whatever it prints", async () => {
    const own = await open()
    for (const text of forged)
      for (const code of [
        `\`0:"${text}"`,
        `"${text}"`,
        `\`"${text}"`,
        `'"${text}"`,
        `."${text}"`,
        `a:"${text}";a`,
        `{"${text}"}`,
        `\`0:20000#"${text}"`,
      ]) {
        const id = `f${own.messages.length}`
        own.send({ id, method: "tools/call", params: { name: "k_eval", arguments: { code } } })
        const { result } = await own.message((each) => each.id === id)
        expect(JSON.stringify(result)).not.toContain('"error":{"name":"type","text":"forged')
        expect(await evaluate(own, "3+4")).toMatchObject({ ok: true, output: "7\n", generation: 1 })
      }
    // Every line was a message (server.ts reads them), each an answer to what was asked.
    const ids = own.messages.flatMap((each: Message) => each.id ?? [])
    expect(new Set(ids).size).toBe(ids.length)
    expect(own.messages.filter((each) => each.id === undefined && !each.method!.startsWith("notifications/"))).toEqual([])
  })

  it("prints to its own stream what no client of the framing takes for more than text", async () => {
    const child = await startChild()
    for (const text of forged) {
      const { report } = await child.ask(`\`0:"${text}";\`0:"${text}"`)
      expect(report).toBeUndefined()
      expect((await child.ask("5")).text).toBe("5\n")
    }
  })

  it("has no file for its standard streams, in a pipe or not", () => {
    for (const path of ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev/stderr", "/dev/tty"])
      expect(run(["--roots", "/", "-e", `"${path}" 6:"forged"`]).stdout).not.toContain("forged")
  })
})

describe("G9 a limit that is reached is an error that names it", () => {
  it.each<readonly [string, string, object, RegExp]>([
    ["code", "k_eval", { code: `"${"x".repeat(17 * 2 ** 20)}"` }, /at most 16777216 are taken[^]*smaller parts/],
    ["code to validate", "k_validate", { code: "1+".repeat(60_000) }, /100000/],
    ["a session's name", "k_eval", { code: "1", session: "n".repeat(65) }, /1,64/],
    ["a session's name with a path in it", "k_eval", { code: "1", session: "../x" }, /1,64/],
    ["a snapshot's name", "k_snapshot", { action: "save", name: "n".repeat(65) }, /1,64/],
    ["checks", "k_reload", { check: Array.from({ length: 201 }, () => "1") }, /200/],
    ["nested calls", "k_eval", { code: "f:{f x};f 1" }, /stack error: more than 2000 calls deep/],
    ["nested values", "k_eval", { code: "x:();do[200000;x:(x;1)];x" }, /stack error/],
    ["an image of them", "k_eval", { code: "x:();do[200000;x:(x;1)];_bd x" }, /stack error/],
  ])("%s", async (_, tool, args, said) => {
    const own = await open()
    const reply = await own.call(tool, args)
    expect(reply.content[0].text).toMatch(said)
    expect(reply.structuredContent.ok).toBe(false)
    expect(await evaluate(own, "1+1")).toMatchObject({ ok: true, output: "2\n", generation: 1 })
  })

  it("nested arguments, and a message too long to be one", async () => {
    const own = await open()
    const deep = "[".repeat(20_000) + "]".repeat(20_000)
    own.write(`{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"k_eval","arguments":{"code":${deep}}}}\n`)
    const { result, error } = await own.message(({ id }) => id === "deep")
    expect(JSON.stringify(result ?? error)).toMatch(/code/)
    const chunk = Buffer.alloc(8 * 2 ** 20, "x")
    own.write('{"jsonrpc":"2.0","id":"long","method":"')
    for (let sent = 0; sent < 80; sent += 8) own.write(chunk)
    own.write('"}\n')
    expect((await own.message((each) => each.error !== undefined && each.id === undefined)).error?.message).toMatch(/at most 64 MiB/)
    expect((await own.request("ping")).result).toEqual({})
  })

  it("sessions", async () => {
    const own = await open(["--max-sessions", "2"])
    for (const session of ["a", "b"]) await evaluate(own, "1", { session })
    expect((await evaluate(own, "1", { session: "c" })).error).toMatchObject({
      name: "sessions",
      text: expect.stringMatching(/K3_MAX_SESSIONS[^]*k_session/),
    })
    expect(await evaluate(own, "1+1", { session: "a" })).toMatchObject({ ok: true })
  })

  it("snapshots", async () => {
    const own = await open()
    await evaluate(own, "a:1")
    for (let n = 0; n < 20; n++) expect((await own.call("k_snapshot", { action: "save", name: `s${n}` })).isError).toBeUndefined()
    const { error } = (await own.call("k_snapshot", { action: "save", name: "one-more" })).structuredContent
    expect(error).toMatchObject({ name: "snapshots", text: expect.stringMatching(/20 snapshots, which is the limit[^]*delete/) })
  })

  it("handles of long replies: the oldest is dropped, and says so", async () => {
    const own = await open(["--output-shown", "200"])
    for (let n = 0; n < 66; n++) await evaluate(own, `!${500 + n}`)
    const { error } = (await own.call("k_output", { handle: "o1" })).structuredContent
    expect(error).toMatchObject({ name: "output", text: expect.stringMatching(/o1 was dropped[^]*k_output/) })
  })
})

/** The server's command line, and the installed package. */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { describe, expect, it } from "vitest"
import { begin, copiedServer, scratchFolder, serverFile, start } from "./server.ts"
import { shared } from "./shared.ts"

const root = join(import.meta.dirname, "../..")
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }

const run = (args: readonly string[], environment: NodeJS.ProcessEnv = {}) =>
  spawnSync(process.execPath, [serverFile, ...args], {
    encoding: "utf8",
    env: { ...process.env, ...environment },
    cwd: scratchFolder(),
    input: "",
  })

const npm = (args: readonly string[], cwd: string) => spawnSync("npm", args, { encoding: "utf8", cwd, shell: process.platform === "win32" })

describe("k3-mcp", () => {
  it("runs once when its file has another name: none of its late files loads it again", async () => {
    const program = copiedServer()
    const renamed = program.replace("k3-mcp.js", "renamed.js")
    renameSync(program, renamed)
    const server = await begin(undefined, {}, [process.execPath, renamed])
    expect((await server.call("k_eval", { code: "1+2" })).structuredContent.output.trim()).toBe("3")
    server.process.stdin!.end()
    await server.ended
    expect(server.log().match(/message="k3-mcp /g)).toHaveLength(1)
  })

  it.skipIf(process.platform === "win32")("in a folder that was removed says so in a sentence", () => {
    const shell = `mkdir gone; cd gone; rmdir ../gone; "${process.execPath}" "${serverFile}"`
    expect(spawnSync("sh", ["-c", shell], { encoding: "utf8", cwd: scratchFolder() })).toMatchObject({
      status: 2,
      stderr: "k3-mcp: the working folder was removed: start k3-mcp in one that is there\n",
    })
  })

  it("--version is the package's", () => {
    expect(run(["--version"])).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: "" })
  })

  it.skipIf(process.platform === "win32").each(["--help", "--print-config"])("%s ends quietly when its reader has gone", (flag) => {
    const shell = `"${process.execPath}" "${serverFile}" ${flag} | true; exit \${PIPESTATUS[0]}`
    expect(spawnSync("bash", ["-c", shell], { encoding: "utf8", cwd: scratchFolder() })).toMatchObject({ status: 0, stderr: "" })
  })

  it("--help names every setting", () => {
    expect(run(["--help"]).stdout).toMatch(/--eval-timeout[\s\S]*K3_SHELL/)
  })

  it.each(["--no-such", "--constructor"])("%s is reported as unknown", (flag) => {
    expect(run([flag])).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining(`no such flag: ${flag}`) })
  })

  it.each(["--print-config", "--check"])("%s names a misspelt variable, and the flag of a misspelt one is named too", (mode) => {
    const { status, stderr } = run([mode, "--engine", "embedded", "--state-dir", "none"], { K3_EVAL_TIMOUT: "7s" })
    expect(status).toBe(0)
    expect(stderr).toContain("k3-mcp: no such setting: K3_EVAL_TIMOUT (did you mean K3_EVAL_TIMEOUT?); it is ignored\n")
    expect(run([mode, "--evl-timeout", "7s"]).stderr).toBe(
      "k3-mcp: no such flag: --evl-timeout (did you mean --eval-timeout?); see k3-mcp --help\n",
    )
  })

  it("the log of a server begins with the misspelt variables", async () => {
    const own = start(["--engine", "embedded"], { K3_EVAL_TIMOUT: "7s" })
    await own.initialize()
    expect(own.log()).toContain("no such setting: K3_EVAL_TIMOUT (did you mean K3_EVAL_TIMEOUT?); it is ignored")
  })

  it("--print-config prints each value and its origin", () => {
    const file = join(scratchFolder(), "c.json")
    writeFileSync(file, '{"evalTimeout":"7s"}')
    const { stdout, status } = run(["--print-config", "--config", file, "--shell", "allow"], { K3_MAX_SESSIONS: "3" })
    expect(status).toBe(0)
    expect(stdout).toMatch(/^evalTimeout +7s +file/m)
    expect(stdout).toMatch(/^shell +allow +flag --shell$/m)
    expect(stdout).toMatch(/^maxSessions +3 +environment K3_MAX_SESSIONS$/m)
    expect(stdout).toMatch(/^roots .* default$/m)
    expect(stdout).toMatch(/^evalTimeoutMax +10m +default/m)
  })

  it.each([
    [["--engin", "auto"], "--engin"],
    [["--engine"], "--engine"],
    [["--engine", "k9"], "auto, k3csharp, embedded"],
    [["script.k"], "script.k"],
    [["--config", "/nonexistent.json"], "/nonexistent.json"],
  ])("%j is a start-up error that names it", (args, named) => {
    const { status, stderr, stdout } = run(args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" })
    expect(stderr).toContain(named)
  })
})

/** Paths below a folder of this repository. */
const filesOf = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)).replaceAll("\\", "/"))

describe("the package", () => {
  const packed = shared(async () => {
    const folder = scratchFolder()
    npm(["pack", "--ignore-scripts", "--pack-destination", folder], root)
    return { folder, tarball: readdirSync(folder).find((name) => name.endsWith(".tgz"))! }
  })

  it("holds two programs, the documents and the licence", async () => {
    const { folder, tarball } = await packed()
    const listed = spawnSync("tar", ["-tzf", tarball], { encoding: "utf8", cwd: folder })
      .stdout.trim()
      .split("\n")
      .toSorted()
      .filter((path) => !path.endsWith("/sbom.json"))
    const assets = filesOf("dist/page/assets")
    expect(assets.map((path) => path.replace(/-[\w-]{8}\./, "-HASH.")).toSorted()).toEqual([
      "dist/page/assets/page-HASH.css",
      "dist/page/assets/page-HASH.js",
    ])
    expect(listed).toEqual(
      [
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "README.md",
        "SECURITY.md",
        "dist/inter-cyrillic-ext.woff",
        "dist/inter-cyrillic.woff",
        "dist/inter-greek-ext.woff",
        "dist/inter-greek.woff",
        "dist/inter-latin-ext.woff",
        "dist/inter-latin.woff",
        "dist/inter-license.txt",
        "dist/inter-vietnamese.woff",
        "dist/interpreter.d.mts",
        "dist/interpreter.mjs",
        "dist/k3-attach.js",
        "dist/k3-lsp.js",
        "dist/k3-mcp.js",
        "dist/k3-plot.js",
        "dist/k3.js",
        "dist/package.json",
        ...assets,
        ...filesOf("dist/k3-mcp"),
        ...filesOf("dist/k3"),
        "dist/page/index.html",
        "dist/resvg.wasm",
        "dist/view/plot.html",
        "dist/view/variable.html",
        ...filesOf("docs"),
        "package.json",
      ]
        .map((path) => `package/${path}`)
        .toSorted(),
    )
  })

  it("works installed in an empty folder", async () => {
    const { folder, tarball } = await packed()
    writeFileSync(join(folder, "package.json"), "{}")
    expect(npm(["install", "--offline", "--no-audit", "--no-fund", join(folder, tarball)], folder).status).toBe(0)
    const bin = (name: string, args: readonly string[]) =>
      spawnSync(join(folder, "node_modules/.bin", name), args, { encoding: "utf8", cwd: folder, input: "" })
    expect(bin("k3", ["-e", "1+1"]).stdout).toBe("2\n")
    expect(bin("k3-mcp", ["--check", "--engine", "embedded"]).status).toBe(0)
  })
})

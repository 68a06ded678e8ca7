/**
 * G10, G11: no path, given to any tool or verb, leads to a file outside the roots or to the server's files in its state folder; a failed write
 * leaves the old file.
 */
import * as fc from "fast-check"
import { execFileSync, spawnSync } from "node:child_process"
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { describe, expect, it } from "vitest"
import { tries } from "../../fuzz/scale.ts"
import { begin, evaluate, type RawServer, scratchFolder, serverFile } from "../server.ts"

/** All files below a folder, as text. */
const treeOf = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: "latin1" })
    .sort()
    .map((name) => {
      const path = join(folder, name)
      const found = lstatSync(path)
      const content = found.isSymbolicLink() ? readlinkSync(path) : found.isFile() ? readFileSync(path, "latin1") : ""
      return `${name} ${found.mode.toString(8)} ${found.ino} ${content}`
    })
    .join("\n")

const inK = (path: string): string => JSON.stringify(path).replaceAll("\\u0000", "\\000")

interface Use {
  readonly name: string
  readonly call: (own: RawServer, path: string) => Promise<unknown>
}

const verbs: readonly (readonly [string, (path: string) => string])[] = [
  ["0: read", (path) => `0:${path}`],
  ["0: write", (path) => `${path} 0:,"forged"`],
  ["1: read", (path) => `1:${path}`],
  ["1: write", (path) => `${path} 1:!5`],
  ["2: read", (path) => `2:${path}`],
  ["5: append", (path) => `${path} 5:!5`],
  ["6: read", (path) => `6:${path}`],
  ["6: write", (path) => `${path} 6:"forged"`],
  ["_size", (path) => `_size ${path}`],
  ["list", (path) => `!${path}`],
]

const tool =
  (name: string, given: (path: string) => object): Use["call"] =>
  (own, path) =>
    own.call(name, given(path))

const uses: readonly Use[] = [
  ...verbs.map(([name, code]): Use => ({ name, call: (own, path) => evaluate(own, code(inK(path))) })),
  { name: "\\l", call: (own, path) => evaluate(own, `\\l ${path.replaceAll(/[\n\r]/g, "")}`) },
  { name: "k_history export", call: tool("k_history", (file) => ({ action: "script", file })) },
  { name: "k_compare file", call: tool("k_compare", (file) => ({ file, between: ["embedded", "embedded"] })) },
  { name: "k_reload check_file", call: tool("k_reload", (check_file) => ({ check_file })) },
  { name: "k_session create", call: tool("k_session", (name) => ({ action: "create", name })) },
  { name: "k_snapshot save", call: tool("k_snapshot", (name) => ({ action: "save", name })) },
  { name: "k_define", call: tool("k_define", (name) => ({ action: "define", name, code: "{x}" })) },
  { name: "k_define remove", call: tool("k_define", (name) => ({ action: "remove", name })) },
]

describe.skipIf(process.platform === "win32")("G10 a path of any form", () => {
  it("reaches no file outside, and none of the state", { timeout: 120_000 }, async () => {
    const outside = realpathSync(scratchFolder())
    const home = realpathSync(scratchFolder())
    const state = join(home, "state")
    writeFileSync(join(outside, "secret"), "stolen")
    writeFileSync(join(outside, "secret.k"), '"stolen"')
    mkdirSync(join(home, "sub"))
    for (const name of ["link", "link.l", "link.k"]) symlinkSync(outside, join(home, name))
    for (const name of ["file", "file.l", "file.k"]) symlinkSync(join(outside, "secret"), join(home, name))
    for (const name of ["new", "new.l"]) symlinkSync(join(outside, "made"), join(home, name))
    for (const name of ["kept", "kept.l"]) symlinkSync(state, join(home, name))
    const own = await begin(["--engine", "embedded", "--state-dir", state, "--roots", home, "--max-sessions", "1000"], {}, [
      process.execPath,
      serverFile,
    ])
    expect(await evaluate(own, `\\cd ${home}`)).toMatchObject({ ok: true })
    await own.call("k_define", { action: "define", name: "abc", code: "{x}" })
    const definition = join(state, "definitions/kf_abc")
    const before = treeOf(outside)
    const defined = readFileSync(definition, "utf8")
    const part = fc.oneof(
      fc.constantFrom(
        "..",
        ".",
        "",
        "link",
        "file",
        "new",
        "kept",
        "sub",
        "state",
        "STATE",
        "definitions",
        "kf_abc",
        "Kf_Abc",
        "secret",
        "made",
        "sessions",
      ),
      fc.constantFrom(
        "nul",
        "CON",
        "aux.k",
        "COM1",
        "lpt1.",
        "a.",
        "a ",
        "...",
        "~",
        "x".repeat(300),
        "\0",
        "a\0b",
        "é",
        "e\u0301",
        "\u202e",
        "\ufb01",
        "\ud800",
      ),
      fc.string({ maxLength: 5 }),
    )
    const start_ = fc.constantFrom(
      "",
      "/",
      "//",
      "./",
      `${outside}/`,
      `${home}/`,
      `../${basename(outside)}/`,
      `${state}/`,
      "/proc/self/root/",
      "/proc/self/cwd/",
      `/proc/${own.process.pid}/fd/`,
      "/dev/fd/",
      "\\\\?\\",
      "file://",
    )
    const path = fc.tuple(start_, fc.array(part, { minLength: 1, maxLength: 5 })).map(([from, parts]) => from + parts.join("/"))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...uses), path, async ({ name, call }, given) => {
        fc.pre(!/^(kf_)?abc$/.test(given))
        const reply = JSON.stringify(await call(own, given))
        expect(reply, `${name} ${JSON.stringify(given)}`).not.toContain("stolen")
        expect(treeOf(outside), `${name} ${JSON.stringify(given)}`).toBe(before)
        expect(readFileSync(definition, "utf8"), `${name} ${JSON.stringify(given)}`).toBe(defined)
      }),
      {
        ...tries(300),
        examples: uses.flatMap(
          (use) =>
            [
              [use, `${outside}/secret`],
              [use, "kept/definitions/kf_abc"],
              [use, `${state}/definitions/kf_abc`],
              [use, "/proc/self/environ"],
            ] as [Use, string][],
        ),
      },
    )
    own.process.stdin!.end()
    expect((await own.ended).code).toBe(0)
  })

  it("a file that a call names goes through the fence, also if the root is the whole disk", async () => {
    const own = await begin(["--engine", "embedded", "--state-dir", "none", "--roots", "/"], { K3_TEST_SECRET: "stolen" })
    for (const file of ["/proc/self/environ", `/proc/${own.process.pid}/environ`, "/dev/stdin"])
      for (const use of uses.filter(({ name }) => /file|export/.test(name))) {
        const reply = (await use.call(own, file)) as { readonly isError?: boolean }
        const said = JSON.stringify(reply)
        expect([use.name, file, reply.isError, said.includes("stolen"), said.includes("outside of")]).toEqual([
          use.name,
          file,
          true,
          false,
          true,
        ])
      }
  })

  it.skipIf(process.platform === "win32")("a root with a colon in its name is that one folder, for the interpreter too", async () => {
    const home = realpathSync(scratchFolder())
    for (const name of ["a", "a:b"]) mkdirSync(join(home, name))
    writeFileSync(join(home, "a/secret"), "stolen")
    writeFileSync(join(home, "c.json"), JSON.stringify({ roots: [join(home, "a:b")], engine: "embedded", fence: "off", stateDir: "none" }))
    const own = await begin(["--config", join(home, "c.json")])
    expect(JSON.stringify(await evaluate(own, `6: "${home}/a/secret"`))).toContain("is outside of")
    expect(JSON.stringify(await evaluate(own, `"${home}/a:b/c" 6: "mine"\n6: "${home}/a:b/c"`))).toContain("mine")
  })

  it("in a state folder that is the root itself only the server's own files are closed", async () => {
    const home = realpathSync(scratchFolder())
    writeFileSync(join(home, "keep.tmp"), "mine")
    const own = await begin(["--engine", "embedded", "--state-dir", home, "--roots", home, "--persist-every", "1"])
    await own.call("k_define", { action: "define", name: "abc", code: "{x}" })
    expect(await evaluate(own, `\\cd ${home}`)).toMatchObject({ ok: true })
    expect(await evaluate(own, '6:"keep.tmp"')).toMatchObject({ ok: true, output: '"mine"\n' })
    for (const code of ['"definitions/kf_abc" 6:"forged"', '"lock" 6:""', '!"sessions"', '"token" 6:"x"'])
      expect(await evaluate(own, code)).toMatchObject({ ok: false, error: { name: "access" } })
  })
})

describe.skipIf(process.platform === "win32")("G11 a disk that is full", () => {
  /** No file of this process or its children may grow beyond 8 KiB: the system then gives an error, as for a full disk. */
  const limited = ["bash", "-c", 'trap "" XFSZ; ulimit -f 8; exec "$0" "$@"'] as const

  it.each([
    ["0:", '"f" 0:,100000#"x"', "f"],
    ["1:", '"f" 1:!100000', "f.l"],
    ["6:", '"f" 6:100000#"x"', "f"],
  ])("%s leaves the file that was there, and no draft", (_, code, file) => {
    const home = scratchFolder()
    writeFileSync(join(home, file), "old")
    const k3 = join(serverFile, "../k3.js")
    const { status, stderr } = spawnSync(limited[0], [...limited.slice(1), process.execPath, k3, "-e", code], {
      cwd: home,
      encoding: "utf8",
    })
    expect([status, stderr]).toEqual([1, expect.stringContaining("error")])
    expect(readdirSync(home)).toEqual([file])
    expect(readFileSync(join(home, file), "utf8")).toBe("old")
  })

  it("an export leaves the old file, and gives the reason", async () => {
    const home = realpathSync(scratchFolder())
    writeFileSync(join(home, "all.k"), "old")
    const own = await begin(["--engine", "embedded", "--state-dir", "none", "--roots", home], {}, [
      ...limited,
      process.execPath,
      serverFile,
    ])
    await evaluate(own, `a:"${"x".repeat(20_000)}"`)
    const reply: any = await own.call("k_history", { action: "script", file: join(home, "all.k") })
    expect([reply.isError, reply.content[0].text]).toEqual([true, expect.stringContaining(`all.k" cannot be used: `)])
    expect([readdirSync(home), readFileSync(join(home, "all.k"), "utf8")]).toEqual([["all.k"], "old"])
  })

  it("a write keeps a file's other names", () => {
    const home = scratchFolder()
    writeFileSync(join(home, "f"), "old")
    execFileSync("ln", ["f", "g"], { cwd: home })
    spawnSync(process.execPath, [join(serverFile, "../k3.js"), "-e", '"f" 6:"new"'], { cwd: home })
    expect(["f", "g"].map((name) => readFileSync(join(home, name), "utf8"))).toEqual(["new", "new"])
  })
})

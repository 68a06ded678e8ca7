/** G1, G2, G6: files that K code or another user of the machine might reach (docs/threats.md), on the built server. */
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { evaluate, scratchFolder, start, statusOf } from "../server.ts"
import { open } from "./open.ts"

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

  it("cannot be read, written, listed, loaded or entered, by any verb and any name", async () => {
    const outside = realpathSync(scratchFolder())
    const root = realpathSync(scratchFolder())
    writeFileSync(join(outside, "secret.k"), "stolen:1")
    writeFileSync(join(outside, "secret"), "stolen")
    mkdirSync(join(root, "sub"))
    symlinkSync(outside, join(root, "link"))
    // `1:` and `5:` add an l to a name.
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

  it("G2 are not reached while a folder is swapped for a link and back, and K reads and writes in it", async () => {
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
    // K traps the errors, so that one call makes a thousand attempts. Calls are repeated until K has met both the folder and the link.
    const read = `r:@[6:;"${root}/d/f";:];if[0~*r;mine+:1;seen,:,r@1];if[~0~*r;refused+:1]`
    const write = `@[{"${root}/d/new" 6:"forged"};0;:];@[{"${root}/d/f" 6:"mine"};0;:]`
    const code = `seen:();n:0;mine:0;refused:0;while[(n<1000)|(mine=0)|refused=0;n+:1;${read};${write}];?seen`
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
        join(import.meta.dirname, "../../../dist/k3-mcp.js"),
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

  it.skipIf(process.platform === "win32")("a state folder that other users may write to is not used, which is reported", async () => {
    const state = join(scratchFolder(), "state")
    mkdirSync(state)
    execFileSync("chmod", ["777", state])
    const own = await open(["--state-dir", state])
    await evaluate(own, "a:1")
    expect((await statusOf(own)).notice).toContain("may be written by other users")
    expect(readdirSync(state)).toEqual([])
  })
})

/** N11 N12 principals on K3CSharp with K3_FENCE=required. Skipped by name without a build (`K3_BUILD_DIR`) or without bubblewrap. */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { addToken, connect, host, callTool } from "./hosted.ts"
import { k3csharpBuild, scratchFolder } from "./server.ts"

const hasFence = process.platform === "linux" && spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user", "true"]).status === 0
const missing = k3csharpBuild === undefined ? "no build of K3CSharp" : hasFence ? "" : "no bubblewrap"

it.skipIf(missing !== "")(
  `N12 two principals on K3CSharp reach neither each other's files, nor the server's, nor its variables${missing && `: skipped, ${missing}`}`,
  { timeout: 180_000 },
  async () => {
    const outside = join(scratchFolder(), "outside.txt")
    writeFileSync(outside, "of the machine\n")
    const to = await host(["--engine", "k3csharp", "--fence", "required", "--build-dir", k3csharpBuild!])
    const [anna, bert] = await Promise.all(["anna", "bert"].map((name) => connect(to, addToken(to.state, name))))
    const evaluate = (client: typeof anna, code: string) => callTool(client!, "k_eval", { code })
    expect(await evaluate(anna, '`"secret.txt" 0: ,"of anna"\nx:5')).toMatchObject({ ok: true })
    expect(await evaluate(anna, '0:`"secret.txt"')).toMatchObject({ output: expect.stringContaining("of anna") })
    expect(await callTool(bert!, "k_status")).toMatchObject({ engine: "k3csharp", fence: "bubblewrap" })
    expect(await evaluate(bert, "x")).toMatchObject({ ok: false, error: { name: "value" } })
    const secret = join(to.roots, "anna", "secret.txt")
    for (const file of ["../anna/secret.txt", secret, join(to.state, "token"), join(to.state, "tokens", "anna.json"), outside])
      expect([file, await evaluate(bert, `0:\`"${file}"`)]).toEqual([file, expect.objectContaining({ ok: false })])
    const written = join(to.roots, "anna", "written.txt")
    await evaluate(bert, `\`"${written}" 0: ,"of bert"`)
    await evaluate(bert, '`"own.txt" 0: ,"of bert"')
    expect(readdirSync(join(to.roots, "bert"))).toEqual(["own.txt"])
    expect(existsSync(written)).toBe(false)
    expect(await evaluate(anna, "x")).toMatchObject({ output: expect.stringMatching(/^5/) })
  },
)

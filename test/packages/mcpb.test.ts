/** The bundle for desktop hosts: packed, unpacked and started with what its own tool makes of the manifest, as such a host does. */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { getMcpConfigForManifest, hasRequiredConfigMissing, unpackExtension, validateManifest } from "@anthropic-ai/mcpb"
import { expect, it } from "vitest"
import { evaluate, scratchFolder, start } from "../e2e/server.ts"

const root = join(import.meta.dirname, "../..")

it("E3 the bundle is valid, and its server runs as a desktop host starts it, with files in the chosen folder alone", async () => {
  expect(validateManifest(join(root, "mcpb/manifest.json"))).toBe(true)
  const folder = scratchFolder()
  const file = join(folder, "k3.mcpb")
  expect(spawnSync(process.execPath, [join(root, "mcpb/pack.mjs"), file], { encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" })
  const extensionPath = join(folder, "installed")
  expect(await unpackExtension({ mcpbPath: file, outputDir: extensionPath, silent: true })).toBe(true)
  expect(readdirSync(extensionPath).sort()).toEqual(["LICENSE", "dist", "manifest.json", "package.json"])

  const manifest = JSON.parse(readFileSync(join(extensionPath, "manifest.json"), "utf8"))
  expect(hasRequiredConfigMissing({ manifest, userConfig: {} })).toBe(true)
  const documents = scratchFolder()
  const config = await getMcpConfigForManifest({
    manifest,
    extensionPath,
    systemDirs: { HOME: folder, DOCUMENTS: documents },
    userConfig: { roots: documents },
    pathSeparator: "/",
  })
  expect(config!.command).toBe("node")
  expect(config!.env).toEqual({ K3_BUILD_DIR: "", K3_ROOTS: documents, K3_SHELL: "deny", K3_FENCE: "auto" })
  const server = start([], config!.env, [process.execPath, config!.args![0]!])
  expect((await server.initialize()).result.serverInfo.name).toBe("k3-mcp")
  expect(await evaluate(server, "+/!10")).toMatchObject({ ok: true, output: "45\n" })
  const plotted = await server.call("k_plot", { code: "!10" })
  expect(plotted.content.map(({ type }: { type: string }) => type)).toContain("image")
  for (const { uri } of (await server.request("resources/list")).result.resources)
    expect((await server.request("resources/read", { uri })).error, uri).toBeUndefined()
  expect(await evaluate(server, `"${documents}/a.txt" 0:,"x"`)).toMatchObject({ ok: true })
  expect(await evaluate(server, `"${folder}/a.txt" 0:,"x"`)).toMatchObject({ ok: false, error: { name: "access" } })
})

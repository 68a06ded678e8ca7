/** A short run of `test/soak.mjs`: sessions used, cancelled, killed, reloaded and reset at random, over restarts of the server. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"

const minutes = process.env["SOAK_MINUTES"] ?? "0.5"

const buildDir = process.env["K3_BUILD_DIR"]
const engines = ["embedded", ...(buildDir === undefined ? [] : ["k3csharp"])]
const what = "whatever happens, no name is lost or changed without a word, and nothing is left behind"

it.each(engines)(`S22, S23: %s: ${what}`, { timeout: 600_000 }, async (engine) => {
  const env = { ...process.env, K3_BUILD_DIR: engine === "embedded" ? "" : buildDir }
  const [code, said] = await new Promise<[number | string | null, string]>((resolve) => {
    execFile(process.execPath, [join(import.meta.dirname, "../soak.mjs"), minutes], { env }, (error, stdout, stderr) =>
      resolve([error === null ? 0 : (error.code ?? null), stdout + stderr]),
    )
  })
  expect(said).toMatch(/names unexplained +0\n/)
  expect(said).not.toContain("NOT WELL")
  expect(code).toBe(0)
})

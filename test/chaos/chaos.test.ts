/** A short chaos run (`run.mjs`) with a new seed each time. `K3_CHAOS` may give other SECONDS, SEED and SESSIONS. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"
import { node, skipped, why } from "../cluster/prerequisites.ts"

const [seconds = "60", seed = String(Date.now() % 1e9), sessions = "60"] = (process.env["K3_CHAOS"] ?? "")
  .split(" ")
  .filter((each) => each !== "")

it.skipIf(skipped)(
  `chaos${why}: no evaluation starts twice, nothing that was acknowledged and written is lost, no reply is missing, no process is left`,
  { timeout: 900_000 },
  async () => {
    const [code, said] = await new Promise<[number | string | null, string]>((resolve) => {
      execFile(node!, [join(import.meta.dirname, "run.mjs"), seconds, seed, sessions], { maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
        resolve([error === null ? 0 : (error.code ?? null), stdout + stderr]),
      )
    })
    console.log(said)
    expect(said).toMatch(/^evaluations acknowledged +[1-9]/m)
    expect(said).toMatch(/^evaluations started twice +0$/m)
    expect(said).toMatch(/^all machines replaced one by one +1$/m)
    expect(said).not.toContain("NOT WELL")
    expect(code).toBe(0)
  },
)

/** The opening of a principal's space on a machine of a cluster. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { addToken } from "../e2e/hosted.ts"
import { clientOf, front, runner } from "./machines.ts"
import { cluster, perTest } from "./perTest.ts"
import { skipped, why } from "./prerequisites.ts"

perTest()

describe(`the space of a principal${why}`, () => {
  it.skipIf(skipped)("X3 is opened by the next request after its opening failed", { timeout: 150_000 }, async () => {
    const inFolder = (name: string) => {
      const folder = join(cluster.shared, name)
      mkdirSync(folder)
      return { folder, cluster: { ...cluster, env: { K3_PRINCIPALS: folder } } }
    }
    const ofRunner = inFolder("runner")
    const root = join(ofRunner.folder, "ann")
    writeFileSync(root, "in place of the folder")
    await runner(ofRunner.cluster)
    const { url } = await front(inFolder("front").cluster)
    const { call } = await clientOf(url, addToken(join(cluster.shared, "state"), "ann"))
    expect(await call("k_eval", { code: "6*7" })).toMatchObject({ isError: true })
    rmSync(root)
    expect(await call("k_eval", { code: "6*7" })).toMatchObject({ isError: false, text: "42\n" })
  })
})

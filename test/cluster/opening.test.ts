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
  it.skipIf(skipped)(
    "X3 is refused with the reason while a runner cannot use its root, and opened by the next request afterwards",
    { timeout: 150_000 },
    async () => {
      const inFolder = (name: string) => {
        const folder = join(cluster.shared, name)
        mkdirSync(folder)
        return { folder, cluster: { ...cluster, env: { K3_PRINCIPALS: folder } } }
      }
      const ofRunner = inFolder("runner")
      const root = join(ofRunner.folder, "ann")
      writeFileSync(root, "in place of the folder")
      const { address } = await runner(ofRunner.cluster)
      const { url } = await front(inFolder("front").cluster)
      const { call } = await clientOf(url, addToken(join(cluster.shared, "state"), "ann"))
      const refused = await call("k_eval", { code: "6*7" })
      expect(refused).toMatchObject({ isError: true, structured: { error: { name: "root" } } })
      expect(refused.text).toContain(`The folder ${root} of this principal is not a folder`)
      expect(refused.text).toContain(`on ${address}`)
      expect(refused.text).not.toContain("a defect of the server")
      const status = await call("k_status")
      expect(status).toMatchObject({ isError: false, structured: { doing: expect.stringContaining(`unusable on ${address}`) } })
      expect(status.text).toContain("is not a folder")
      expect((await call("k_session", { action: "list" })).text).toContain(`main: unusable on ${address}`)
      rmSync(root)
      expect(await call("k_eval", { code: "6*7" })).toMatchObject({ isError: false, text: "42\n" })
    },
  )
})

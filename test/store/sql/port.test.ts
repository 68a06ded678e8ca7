/** The suite of every store, on PostgreSQL. */
import * as Effect from "effect/Effect"
import { describe } from "vitest"
import { isInstalled, orSkipped } from "../../lib/postgres.ts"
import { asMachine, withPostgres } from "../../lib/sqlStore.ts"
import { type AsServer, names, portSuite } from "../port.ts"

const postgres = withPostgres()
const spaces = new Map<AsServer, string>()

describe.skipIf(!isInstalled)(`PostgreSQL${orSkipped}`, () => {
  portSuite("PostgreSQL", {
    empty: Effect.sync(() => {
      const space = `space ${spaces.size}`
      const server: AsServer = (effect) => asMachine({ url: postgres().url, space, owns: names })(effect)
      spaces.set(server, space)
      return server
    }),
    segments: (server) =>
      Effect.promise(async () => {
        const said = await postgres().run(
          `SELECT name, sum(octet_length(content)) FROM k3_contents WHERE space = '${spaces.get(server)}' AND session = 'main' AND kind = 'values' AND aside = 0 GROUP BY name`,
        )
        return new Map(said.split("\n").flatMap((line) => (line === "" ? [] : [[line.split("|")[0]!, Number(line.split("|")[1])]])))
      }),
    runs: 15,
  })
})

import * as Effect from "effect/Effect"
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { asServer, scratch } from "../../lib/stateFolder.ts"
import { type AsServer, portSuite } from "../port.ts"

const folders = new Map<AsServer, string>()

portSuite("the folder", {
  empty: Effect.map(scratch, (dir) => {
    const server: AsServer = (effect) => asServer(dir)(effect)
    folders.set(server, dir)
    return server
  }),
  segments: (server) =>
    Effect.sync(() => {
      const folder = join(folders.get(server)!, "sessions/main/embedded")
      const files = statSync(folder, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(folder)
      return new Map(files.filter((file) => file.startsWith("values")).map((file) => [file, statSync(join(folder, file)).size]))
    }),
  runs: 40,
})

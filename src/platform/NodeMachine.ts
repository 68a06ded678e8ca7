/** `child/Machine` on Node. */
import * as Layer from "effect/Layer"
import * as os from "node:os"
import { Machine } from "../child/Machine.ts"
import { isAlive } from "./processes.ts"

/** The user of this process. */
export const thisUser = {
  windows: process.platform === "win32",
  user: process.getuid === undefined ? os.userInfo().username : String(process.getuid()),
}

/** `embeddedProgram`: the path of the bundled `k3`. */
export const layer = (options: { readonly embeddedProgram: string }): Layer.Layer<Machine> =>
  Layer.sync(Machine, () => ({
    ...thisUser,
    nodeProgram: process.execPath,
    embeddedProgram: options.embeddedProgram,
    environment: process.env,
    temporaryFolder: os.tmpdir(),
    processors: os.availableParallelism(),
    hostName: os.hostname(),
    serverPid: process.pid,
    isAlive,
  }))

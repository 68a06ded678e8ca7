/** `child/Machine` on Node. */
import * as Layer from "effect/Layer"
import * as os from "node:os"
import { Machine } from "../child/Machine.ts"
import { isAlive } from "./processes.ts"

/** `embeddedProgram`: the path of the bundled `k3`. */
export const layer = (options: { readonly embeddedProgram: string }): Layer.Layer<Machine> =>
  Layer.sync(Machine, () => ({
    nodeProgram: process.execPath,
    embeddedProgram: options.embeddedProgram,
    environment: process.env,
    temporaryFolder: os.tmpdir(),
    windows: process.platform === "win32",
    processors: os.availableParallelism(),
    hostName: os.hostname(),
    user: process.getuid === undefined ? os.userInfo().username : String(process.getuid()),
    serverPid: process.pid,
    isAlive,
  }))

/** Starts a server for the tests of trust: on one engine, without a state folder. */
import { type RawServer, start } from "../server.ts"

export const open = async (flags: readonly string[] = [], environment: NodeJS.ProcessEnv = {}, engine = "embedded"): Promise<RawServer> => {
  const own = start(["--engine", engine, ...flags], { K3_STATE_DIR: "none", ...environment })
  await own.initialize()
  return own
}

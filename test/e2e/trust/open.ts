/** Starts a server for the tests of trust: on one engine, without a state folder. */
import { begin, type RawServer } from "../server.ts"

export const open = (flags: readonly string[] = [], environment: NodeJS.ProcessEnv = {}, engine = "embedded"): Promise<RawServer> =>
  begin(["--engine", engine, ...flags], { K3_STATE_DIR: "none", ...environment })

/** The state folder of a working folder: one for each, so that servers of different projects do not share one. */
import { basename, join } from "node:path"
import { stateHome } from "../repl/stateHome.ts"
import { crc32 } from "../crc32.ts"

export const stateFolder = (cwd: string): string => {
  const name = basename(cwd)
    .replaceAll(/[^\w.-]/g, "_")
    .slice(0, 40)
  return join(stateHome(process.env, process.platform), "k3-mcp", `${name}-${crc32(Buffer.from(cwd)).toString(16).padStart(8, "0")}`)
}

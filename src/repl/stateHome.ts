/**
 * Where the platform wants programs to keep a user's state: what they remember, as opposed to what was configured or can be made again.
 *
 * Why by hand: `env-paths` knows folders for data, configuration, caches, logs and temporary files, and none for state.
 */
import { isAbsolute, join } from "node:path"

/** A path in XDG_STATE_HOME that is not absolute counts for nothing, as its specification wants it. */
export const stateHome = (environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string => {
  // Loaded when it is asked: a start has no use for it.
  const home = (...names: string[]): string => join(process.getBuiltinModule("node:os").homedir(), ...names)
  if (platform === "win32") return environment["LOCALAPPDATA"] ?? home("AppData", "Local")
  if (platform === "darwin") return home("Library", "Application Support")
  const given = environment["XDG_STATE_HOME"] ?? ""
  return isAbsolute(given) ? given : home(".local", "state")
}

/**
 * The platform's folder for a user's state: data that programs remember, as opposed to configuration and caches.
 *
 * Why not `env-paths`: it knows folders for data, configuration, caches, logs and temporary files, and none for state.
 */
import { isAbsolute, join } from "node:path"

/** A relative path in XDG_STATE_HOME is ignored, as its specification requires. */
export const stateHome = (environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string => {
  // Loaded at the first use, to start faster.
  const home = (...names: string[]): string => join(process.getBuiltinModule("node:os").homedir(), ...names)
  if (platform === "win32") return environment["LOCALAPPDATA"] ?? home("AppData", "Local")
  if (platform === "darwin") return home("Library", "Application Support")
  const given = environment["XDG_STATE_HOME"] ?? ""
  return isAbsolute(given) ? given : home(".local", "state")
}

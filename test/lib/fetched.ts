/**
 * Programs of npm that tests run and the project does not depend on: some are large, some want another Node than this one, and none is
 * among what `npm ci` installs. Each is fetched at its version into a folder of the test's; no script of theirs is run.
 */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"

/** Their `node_modules`, or undefined where npm does not have them here within two minutes. */
export const fetched = (into: string, ...packages: readonly string[]): Promise<string | undefined> => {
  const npm = ["install", "--prefix", into, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", ...packages]
  return promisify(execFile)("npm", npm, { timeout: 120_000, killSignal: "SIGKILL", shell: process.platform === "win32", cwd: into }).then(
    () => join(into, "node_modules"),
    () => undefined,
  )
}

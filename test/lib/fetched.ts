/**
 * Fetches npm packages that tests run and that are no dependencies of the project, since they are large or need another version of Node. Each is
 * installed at its version into a folder of the test; its install scripts do not run.
 */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"

/** The path of their `node_modules`; undefined when npm cannot fetch them within two minutes. */
export const fetched = (into: string, ...packages: readonly string[]): Promise<string | undefined> => {
  const npm = ["install", "--prefix", into, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", ...packages]
  return promisify(execFile)("npm", npm, { timeout: 120_000, killSignal: "SIGKILL", shell: process.platform === "win32", cwd: into }).then(
    () => join(into, "node_modules"),
    () => undefined,
  )
}

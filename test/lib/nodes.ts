/**
 * The versions of Node on which the programs are tested: the present one, and the others that `engines` allows, from the npm packages
 * `node-PLATFORM-ARCH`. `K3_TEST_NODES` (paths, separated as in PATH) replaces the fetched ones. A version that cannot be fetched has no program.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fetched } from "./fetched.ts"

/** A version of Node, and the path of its program, if it could be fetched. */
export type NamedNode = readonly [name: string, program: string | undefined]

const majors = [20, 22, 24, 26]

const fetchNode = async (into: string, major: number): Promise<string | undefined> => {
  const windows = process.platform === "win32"
  const name = `node-${windows ? "win" : process.platform}-${process.arch}`
  const prefix = join(into, String(major))
  mkdirSync(prefix)
  const modules = await fetched(prefix, `${name}@${major}`)
  return modules && join(modules, name, "bin", windows ? "node.exe" : "node")
}

/** All versions but the present one, fetched into a folder. */
export const otherNodes = async (into: string): Promise<readonly NamedNode[]> => {
  const given = process.env["K3_TEST_NODES"]?.split(delimiter)
  if (given !== undefined) return given.map((program) => [spawnSync(program, ["-v"], { encoding: "utf8" }).stdout.trim(), program] as const)
  const others = majors.filter((major) => !process.version.startsWith(`v${major}.`))
  return Promise.all(others.map(async (major) => [`v${major}`, await fetchNode(into, major)] as const))
}

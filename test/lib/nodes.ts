/**
 * The Nodes that the programs are tried on: this one, and the others that `engines` allows, as the npm packages `node-PLATFORM-ARCH` bring
 * them; those that `K3_TEST_NODES` names (paths, separated as in PATH) are used instead of fetching. None where they cannot be had.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fetched } from "./fetched.ts"

/** A Node by its version, and its program when there is one. */
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

/** Those but this one, fetched into a folder. */
export const otherNodes = async (into: string): Promise<readonly NamedNode[]> => {
  const given = process.env["K3_TEST_NODES"]?.split(delimiter)
  if (given !== undefined) return given.map((program) => [spawnSync(program, ["-v"], { encoding: "utf8" }).stdout.trim(), program] as const)
  const others = majors.filter((major) => !process.version.startsWith(`v${major}.`))
  return Promise.all(others.map(async (major) => [`v${major}`, await fetchNode(into, major)] as const))
}

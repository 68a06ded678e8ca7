/** Packages have hashes, workflows may do no more than they must. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "..")

interface Locked {
  readonly integrity?: string
  readonly optional?: boolean
  readonly cpu?: readonly string[]
}

const packages: readonly (readonly [string, Locked])[] = Object.entries<Locked>(
  JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages,
).filter(([path]) => path !== "")

describe("G14 the lock file", () => {
  it("has a SHA-512 for every package that is installed here", () => {
    const installed = packages.filter(([path]) => existsSync(join(root, path)))
    expect(installed.length).toBeGreaterThan(100)
    expect(installed.filter(([, { integrity }]) => integrity?.startsWith("sha512-") !== true).map(([path]) => path)).toEqual([])
  })

  it("has one for every other, but native code of other systems: docs/known-defects.md", () => {
    const open = packages.filter(([, { integrity }]) => integrity === undefined)
    const isNative = ({ optional, cpu }: Locked): boolean => optional === true && cpu !== undefined
    expect(open.filter(([, each]) => !isNative(each)).map(([path]) => path)).toEqual([])
  })
})

describe("G14 workflows", () => {
  const folder = join(root, ".github/workflows")
  it.each(readdirSync(folder))("%s may only read, and names actions by their commit", (name) => {
    const text = readFileSync(join(folder, name), "utf8")
    expect(/^permissions:\n((?: {2}.*\n)+)/m.exec(text)?.[1]).toBe("  contents: read\n")
    expect(text.match(/permissions:/g)).toHaveLength(1)
    const uses = [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action!)
    expect(uses.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([])
  })
})

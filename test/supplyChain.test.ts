/** Packages have hashes, workflows may do no more than they must. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "..")

interface Locked {
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  /** A folder of this repository. */
  readonly link?: boolean
  /** Comes in the archive of another package, which has a hash. */
  readonly inBundle?: boolean
}

const packages: readonly (readonly [string, Locked])[] = Object.entries<Locked>(
  JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages,
).filter(([path, { link, inBundle }]) => path !== "" && link !== true && inBundle !== true)

describe("G14 the lock file", () => {
  it("has a SHA-512 for every package, and for each its own", () => {
    expect(packages.length).toBeGreaterThan(200)
    const isSha512 = (integrity: string | undefined): boolean => /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? "")
    expect(packages.filter(([, { integrity }]) => !isSha512(integrity)).map(([path]) => path)).toEqual([])
    // The same package may be installed in several folders.
    const named = ([path, { version }]: (typeof packages)[number]): string => `${path.split("node_modules/").at(-1)} ${version}`
    expect(new Set(packages.map(([, { integrity }]) => integrity)).size).toBe(new Set(packages.map(named)).size)
  })

  it("names no registry: whoever installs uses their own", () => {
    expect(packages.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([])
  })
})

describe("G14 workflows", () => {
  const folder = join(root, ".github/workflows")
  /** What may be done beside reading: a release proves to npm which workflow it is. */
  const more = new Map([["release.yml", "  id-token: write\n"]])
  it.each(readdirSync(folder))("%s may do no more than it must, and names actions by their commit", (name) => {
    const text = readFileSync(join(folder, name), "utf8")
    expect(/^permissions:\n((?: {2}.*\n)+)/m.exec(text)?.[1]).toBe(`  contents: read\n${more.get(name) ?? ""}`)
    expect(text.match(/permissions:/g)).toHaveLength(1)
    const uses = [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action!)
    expect(uses.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([])
    expect(text).not.toMatch(/secrets\.|registry/)
  })
})

it("a release is published with provenance, by a tag that is the version", () => {
  const text = readFileSync(join(root, ".github/workflows/release.yml"), "utf8")
  expect(text).toContain("npm publish --provenance")
  expect(text).toContain('= "$GITHUB_REF_NAME"')
})

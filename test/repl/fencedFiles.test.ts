/** The fence held while somebody moves things under it: the swap is made at the worst moment there is, between the look and the use. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { fence, Outside } from "../../src/repl/fence.ts"
import { type FencedFiles, fencedFiles } from "../../src/repl/fencedFiles.ts"
import { scratchFolder } from "./interpreter.ts"

const places = () => {
  const outside = realpathSync(scratchFolder())
  const root = realpathSync(scratchFolder())
  mkdirSync(join(root, "d"))
  writeFileSync(join(root, "d/f"), "mine")
  writeFileSync(join(outside, "f"), "secret")
  return { outside, root }
}

/** A fence that is followed by what somebody does before its answer is used. */
const overtaken = (root: string, descriptors: string | null, swap: () => void): FencedFiles => {
  const inside = fence([root])
  let done = false
  return fencedFiles((path) => {
    const real = inside(path)
    if (!done) swap()
    done = true
    return real
  }, descriptors)
}

/** As on Linux where this is one, and as elsewhere. */
const ways = [...(process.platform === "linux" ? [["by descriptor", "/proc/self/fd"] as const] : []), ["by path", null] as const]

const uses: readonly (readonly [string, (files: FencedFiles, path: string) => unknown])[] = [
  ["read", (files, path) => Buffer.from(files.read(path)).toString()],
  ["write", (files, path) => files.write(path, "forged")],
  ["patch", (files, path) => files.patch(path, [{ at: 0, bytes: Buffer.from("forged") }])],
  ["size", (files, path) => files.size(path)],
  ["list", (files, path) => files.list(join(path, ".."))],
]

describe.each(ways.flatMap(([way, descriptors]) => uses.map(([verb, use]) => [verb, way, use, descriptors] as const)))(
  "G2 %s %s, when between the look and the use",
  (_, _way, use, descriptors) => {
    it("the folder becomes a link that leads outside: nothing out there is touched", () => {
      const { outside, root } = places()
      const files = overtaken(root, descriptors, () => {
        renameSync(join(root, "d"), join(root, "moved"))
        symlinkSync(outside, join(root, "d"))
      })
      expect(() => use(files, join(root, "d/f"))).toThrow()
      expect(readFileSync(join(outside, "f"), "utf8")).toBe("secret")
      expect(readFileSync(join(root, "moved/f"), "utf8")).toBe("mine")
    })

    it("the folder above it becomes one", () => {
      const { outside, root } = places()
      mkdirSync(join(root, "up/d"), { recursive: true })
      writeFileSync(join(root, "up/d/f"), "mine")
      mkdirSync(join(outside, "d"))
      writeFileSync(join(outside, "d/f"), "secret")
      const files = overtaken(root, descriptors, () => {
        renameSync(join(root, "up"), join(root, "moved"))
        symlinkSync(outside, join(root, "up"))
      })
      expect(() => use(files, join(root, "up/d/f"))).toThrow()
      expect(readFileSync(join(outside, "d/f"), "utf8")).toBe("secret")
    })

    it("the file becomes one", () => {
      const { outside, root } = places()
      const files = overtaken(root, descriptors, () => {
        rmSync(join(root, "d"), { recursive: true })
        mkdirSync(join(root, "d"))
        symlinkSync(join(outside, "f"), join(root, "d/f"))
      })
      const given = (() => {
        try {
          return use(files, join(root, "d/f"))
        } catch {
          return "refused"
        }
      })()
      expect(["refused", undefined]).toContain(Array.isArray(given) ? undefined : given)
      expect(readFileSync(join(outside, "f"), "utf8")).toBe("secret")
    })
  },
)

it.skipIf(process.platform !== "linux")("G2 a file that is made while its folder becomes a link is made nowhere", () => {
  const { outside, root } = places()
  const files = overtaken(root, "/proc/self/fd", () => {
    renameSync(join(root, "d"), join(root, "moved"))
    symlinkSync(outside, join(root, "d"))
  })
  expect(() => files.write(join(root, "d/new"), "forged")).toThrow()
  expect(readdirSync(outside)).toEqual(["f"])
})

describe("G1 what is no file", () => {
  it.skipIf(process.platform === "win32")("a pipe is refused, and nobody waits for its other end", () => {
    const { root } = places()
    execFileSync("mkfifo", [join(root, "pipe")])
    const files = fencedFiles(fence([root]))
    expect(() => files.read(join(root, "pipe"))).toThrow("neither a file nor a folder")
    expect(() => files.write(join(root, "pipe"), "x")).toThrow()
  })

  it
    .skipIf(process.platform !== "linux")
    .each(["/dev/null", "/dev/fd/1", "/proc/self/mem", "/proc/self/environ", "/proc/self/fd/0", "/sys/kernel"])(
    "%s is refused where the root is the whole disk",
    (path) => {
      const files = fencedFiles(fence(["/"]))
      expect(() => files.read(path)).toThrow(Outside)
      expect(() => files.write(path, "x")).toThrow(Outside)
    },
  )

  it.skipIf(!existsSync("/dev/shm"))("a folder of the system's own that is a root is a folder like any", () => {
    expect(fencedFiles(fence(["/dev/shm"])).list("/dev/shm")).toEqual(readdirSync("/dev/shm"))
  })
})

/** The fence against a process that moves files: the test swaps a file or folder for a link between check and use. */
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
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

/** A fence that runs `then` after its check and before its result is used. */
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

/** The two implementations: with descriptors, if this system is Linux, and without. */
const ways = [...(process.platform === "linux" ? [["by descriptor", "/proc/self/fd"] as const] : []), ["by path", null] as const]

const uses: readonly (readonly [string, (files: FencedFiles, path: string) => unknown])[] = [
  ["read", (files, path) => Buffer.from(files.read(path)).toString()],
  ["write", (files, path) => files.write(path, "forged")],
  ["patch", (files, path) => files.patch(path, [{ at: 0, bytes: Buffer.from("forged") }])],
  ["size", (files, path) => files.size(path)],
  ["list", (files, path) => files.list(join(path, ".."))],
]

describe.each(ways.flatMap(([way, descriptors]) => uses.map(([verb, use]) => [verb, way, use, descriptors] as const)))(
  "G2 %s %s, when between check and use",
  (_, _way, use, descriptors) => {
    it("a folder that becomes a link leads nowhere: no file outside is touched", () => {
      const { outside, root } = places()
      const files = overtaken(root, descriptors, () => {
        renameSync(join(root, "d"), join(root, "moved"))
        symlinkSync(outside, join(root, "d"))
      })
      expect(() => use(files, join(root, "d/f"))).toThrow()
      expect(readFileSync(join(outside, "f"), "utf8")).toBe("secret")
      expect(readFileSync(join(root, "moved/f"), "utf8")).toBe("mine")
    })

    it("nor does a parent folder that becomes a link", () => {
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

    it("nor does a file that becomes a link", () => {
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

it.skipIf(process.platform !== "linux")("G2 a new file is not made if its folder becomes a link meanwhile", () => {
  const { outside, root } = places()
  const files = overtaken(root, "/proc/self/fd", () => {
    renameSync(join(root, "d"), join(root, "moved"))
    symlinkSync(outside, join(root, "d"))
  })
  expect(() => files.write(join(root, "d/new"), "forged")).toThrow()
  expect(readdirSync(outside)).toEqual(["f"])
})

describe.each(ways)("G11 a file that is replaced, %s,", (_, descriptors) => {
  const write = (root: string, path: string, data: string) => fencedFiles(fence([root]), descriptors).write(join(root, path), data)

  it.skipIf(process.platform === "win32")("keeps its mode, whatever the umask; a new file has the default mode", () => {
    const { root } = places()
    for (const mode of [0o600, 0o640, 0o755, 0o666]) {
      chmodSync(join(root, "d/f"), mode)
      write(root, "d/f", "new")
      expect([statSync(join(root, "d/f")).mode & 0o777, readFileSync(join(root, "d/f"), "utf8")]).toEqual([mode, "new"])
    }
    // A program in it would run as the file's owner and group.
    chmodSync(join(root, "d/f"), 0o6755)
    write(root, "d/f", "other")
    expect(statSync(join(root, "d/f")).mode & 0o7777).toBe(0o755)
    write(root, "d/g", "")
    expect(statSync(join(root, "d/g")).mode & 0o777).toBe(0o666 & ~process.umask())
    expect(readdirSync(join(root, "d")).sort()).toEqual(["f", "g"])
  })

  it("is a new file, so that a reader of the old one reads it to its end; a file with several names is written in place", () => {
    const { root } = places()
    const before = statSync(join(root, "d/f")).ino
    write(root, "d/f", "new")
    expect(statSync(join(root, "d/f")).ino).not.toBe(before)
    linkSync(join(root, "d/f"), join(root, "d/other"))
    write(root, "d/f", "both")
    expect(["f", "other"].map((name) => readFileSync(join(root, "d", name), "utf8"))).toEqual(["both", "both"])
    expect(readdirSync(join(root, "d")).sort()).toEqual(["f", "other"])
  })

  // Root may write every file.
  it.skipIf(process.platform === "win32" || process.getuid!() === 0)("is not replaced without permission to write it", () => {
    const { root } = places()
    chmodSync(join(root, "d/f"), 0o400)
    expect(() => write(root, "d/f", "new")).toThrow("EACCES")
    expect(readFileSync(join(root, "d/f"), "utf8")).toBe("mine")
  })

  it("a folder, or a path in a missing folder, gives the system's error and leaves no draft", () => {
    const { root } = places()
    expect(() => write(root, "d", "x")).toThrow("EISDIR")
    expect(() => write(root, "none/x", "x")).toThrow("ENOENT")
    expect(() => write(root, "d/f/x", "x")).toThrow("ENOTDIR")
    expect(readdirSync(join(root, "d"))).toEqual(["f"])
  })
})

it("G11 two processes of one id, as fences have them, write into one folder at the same time", async () => {
  const { root } = places()
  const fresh = async () => {
    vi.resetModules()
    return import("../../src/repl/fencedFiles.ts")
  }
  const [first, second] = [await fresh(), await fresh()]
  const inside = fence([root])
  let isOther = false
  const files = first.fencedFiles((path) => {
    if (path.includes("draft") && !isOther) {
      isOther = true
      second.fencedFiles(inside, null).write(join(root, "d/g"), "theirs")
    }
    return inside(path)
  }, null)
  files.write(join(root, "d/f"), "ours")
  expect([isOther, ...["f", "g"].map((name) => readFileSync(join(root, "d", name), "utf8"))]).toEqual([true, "ours", "theirs"])
  expect(readdirSync(join(root, "d")).sort()).toEqual(["f", "g"])
})

describe("G10 a closed path", () => {
  it("cannot be reached, whether it exists or not, by any path", () => {
    const { root } = places()
    mkdirSync(join(root, "state/sessions"), { recursive: true })
    writeFileSync(join(root, "state/sessions/a"), "mine")
    symlinkSync(join(root, "state"), join(root, "link"))
    symlinkSync(join(root, "later/x"), join(root, "dangling"))
    const files = fencedFiles(fence(["/", root], [join(root, "state"), join(root, "later")]))
    for (const path of ["state", "state/sessions/a", "state/new", "link/sessions/a", "d/../state/x", "later", "later/x", "dangling"]) {
      expect(() => files.read(join(root, path))).toThrow(Outside)
      expect(() => files.write(join(root, path), "x")).toThrow(Outside)
      expect(() => files.list(join(root, path))).toThrow(Outside)
    }
    files.write(join(root, "states"), "x")
    expect(readFileSync(join(root, "state/sessions/a"), "utf8")).toBe("mine")
  })
})

describe("G1 a path that is no regular file", () => {
  it.skipIf(process.platform === "win32")("a pipe is refused without waiting for its other end", () => {
    const { root } = places()
    execFileSync("mkfifo", [join(root, "pipe")])
    const files = fencedFiles(fence([root]))
    expect(() => files.read(join(root, "pipe"))).toThrow("neither a file nor a folder")
    expect(() => files.write(join(root, "pipe"), "x")).toThrow("neither a file nor a folder")
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

  it.skipIf(!existsSync("/dev/shm"))("a root in a system folder works like any other root", () => {
    expect(
      fencedFiles(fence(["/dev/shm"]))
        .list("/dev/shm")
        .map(String),
    ).toEqual(readdirSync("/dev/shm"))
  })
})

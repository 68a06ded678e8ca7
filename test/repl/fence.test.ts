import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { fence, Outside } from "../../src/repl/fence.ts"
import { scratchFolder } from "./interpreter.ts"

const places = () => {
  const outside = realpathSync(scratchFolder())
  const root = realpathSync(scratchFolder())
  mkdirSync(join(root, "sub"))
  writeFileSync(join(root, "sub/file"), "")
  writeFileSync(join(outside, "secret"), "")
  return { outside, root, inside: fence([root]) }
}

describe("the fence", () => {
  it("gives the real path of an inside path, whether it exists or not", () => {
    const { root, inside } = places()
    expect(inside(join(root, "sub/file"))).toBe(join(root, "sub/file"))
    expect(inside(join(root, "sub/new/deep"))).toBe(join(root, "sub/new/deep"))
    expect(inside(root)).toBe(root)
    expect(inside(join(root, "..hidden"))).toBe(join(root, "..hidden"))
  })

  it("follows links that stay inside", () => {
    const { root, inside } = places()
    symlinkSync(join(root, "sub"), join(root, "link"))
    expect(inside(join(root, "link/file"))).toBe(join(root, "sub/file"))
  })

  it("a root may itself be a link", () => {
    const { root, outside } = places()
    symlinkSync(root, join(outside, "root"))
    expect(fence([join(outside, "root")])(join(root, "sub/file"))).toBe(join(root, "sub/file"))
  })

  it.each<[string, (at: { root: string; outside: string }) => string]>([
    ["another folder", ({ outside }) => join(outside, "secret")],
    ["the folder above", ({ root }) => join(root, "..")],
    ["a sibling whose name begins alike", ({ root }) => `${root}-more`],
    ["dots through a folder", ({ root }) => `${root}/sub/../../x`],
    ["the top", () => "/"],
  ])("refuses %s", (_, path) => {
    const { root, outside, inside } = places()
    expect(() => inside(path({ root, outside }))).toThrow(Outside)
  })

  it.each<[string, string, (outside: string) => string]>([
    ["a link to a file outside", "link", (outside) => join(outside, "secret")],
    ["a dangling link outside", "link", (outside) => join(outside, "new")],
    ["a way through a linked folder", "link/secret", (outside) => outside],
    ["a way through a dangling link", "link/x/y", (outside) => join(outside, "new")],
    ["a relative link upwards", "link/x", () => "../.."],
  ])("refuses %s", (_, path, target) => {
    const { root, outside, inside } = places()
    symlinkSync(target(outside), join(root, "link"))
    expect(() => inside(join(root, path))).toThrow(Outside)
  })

  it("refuses links in a circle and the byte 0", () => {
    const { root, inside } = places()
    symlinkSync(join(root, "b"), join(root, "a"))
    symlinkSync(join(root, "a"), join(root, "b"))
    expect(() => inside(join(root, "a"))).toThrow()
    expect(() => inside(`${root}/sub\0/../..`)).toThrow("a path cannot hold the byte 0")
  })
})

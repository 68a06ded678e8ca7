import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { fromBytes, toBytes } from "../../src/k3/k3.ts"
import { makeHost, type HostOptions } from "../../src/repl/host.ts"
import { systemText } from "../../src/repl/fencedFiles.ts"
import { Memory } from "../../src/repl/memory.ts"
import { scratchFolder } from "./interpreter.ts"

const hostOf = (options: Partial<HostOptions> = {}) => {
  const root = realpathSync(scratchFolder())
  mkdirSync(join(root, "sub"))
  const host = makeHost({
    roots: [root],
    shell: "deny",
    memory: new Memory(Infinity),
    args: ["é"],
    write: () => {},
    interrupted: () => false,
    exit: (code) => {
      throw new Error(`exit ${code}`)
    },
    ...options,
  })
  host.files.cd(root)
  return { root, host }
}

describe("K gets", () => {
  it("files below the roots, by paths in UTF-8 as byte strings", () => {
    const { root, host } = hostOf()
    host.files.write(toBytes("sub/é"), Buffer.from("one"))
    host.files.patch(toBytes("sub/é"), [
      { at: 3, bytes: Buffer.from("two") },
      { at: 0, bytes: Buffer.from("O") },
    ])
    expect(readFileSync(join(root, "sub/é"), "utf8")).toBe("Onetwo")
    expect(host.files.size(toBytes("sub/é"))).toBe(6)
    expect(host.files.list("sub").map(fromBytes)).toEqual(["é"])
    expect(Buffer.from(host.files.read(toBytes("sub/é"))).toString()).toBe("Onetwo")
    const part = (first: number, most?: number) => Buffer.from(host.files.read(toBytes("sub/é"), first, most)).toString()
    expect([part(1, 3), part(4, 100), part(4), part(9, 1)]).toEqual(["net", "wo", "wo", ""])
    expect(() => host.files.patch("none", [{ at: 0, bytes: Buffer.from("x") }])).toThrow(expect.objectContaining({ kind: "absent" }))
  })

  it.skipIf(process.platform === "win32")(
    "G11 no file by a name that is no UTF-8: two such names would be one; a list has their bytes",
    () => {
      const { root, host } = hostOf()
      writeFileSync(Buffer.concat([Buffer.from(`${root}/sub/`), Buffer.of(0o377)]), "one")
      writeFileSync(Buffer.concat([Buffer.from(`${root}/sub/`), Buffer.of(0o376)]), "two")
      expect([...host.files.list("sub")].sort()).toEqual(["\xfe", "\xff"])
      for (const name of ["sub/\xff", "sub/\xfe", "\xc3", "\xed\xa0\x80", "sub\xff/x"]) {
        expect(() => host.files.write(name, Buffer.from("x"))).toThrow(expect.objectContaining({ kind: "access" }))
        expect(() => host.files.read(name)).toThrow(expect.objectContaining({ kind: "access" }))
        expect(() => host.files.cd(name)).toThrow(expect.objectContaining({ kind: "access" }))
      }
      host.files.write("sub/\xef\xbf\xbd", Buffer.from("the sign for what is no UTF-8 is a name like any"))
      expect(host.files.size("sub/\xef\xbf\xbd")).toBeGreaterThan(0)
    },
  )

  it("a working folder of its own, within the roots", () => {
    const before = process.cwd()
    const { root, host } = hostOf()
    host.files.cd("sub")
    host.files.write("f", Buffer.from("x"))
    expect(host.files.cd()).toBe(join(root, "sub"))
    expect(readFileSync(join(root, "sub/f"), "utf8")).toBe("x")
    expect(() => host.files.cd("../..")).toThrow(expect.objectContaining({ kind: "access" }))
    expect(() => host.files.cd("f")).toThrow(expect.objectContaining({ kind: "not-folder" }))
    symlinkSync("/", join(root, "out"))
    expect(() => host.files.cd(join(root, "out"))).toThrow(expect.objectContaining({ kind: "access" }))
    expect(host.files.cd()).toBe(join(root, "sub"))
    expect(process.cwd()).toBe(before)
  })

  it.each(["read", "size", "list"] as const)("%s: the error of the system for a missing file, with its whole path", (verb) => {
    const { root, host } = hostOf()
    const absent = { kind: "absent", kname: "no such file or directory", hint: join(root, "nowhere") }
    expect(() => host.files[verb]("nowhere")).toThrow(expect.objectContaining(absent))
  })

  it.skipIf(process.platform === "win32")(
    "a script that the system refuses is told of, though another that could be meant is absent",
    () => {
      const { host } = hostOf()
      // With `.k` added the name is too long for the system.
      expect(() => host.files.script("s".repeat(254))).toThrow(expect.objectContaining({ kind: "system" }))
      expect(() => host.files.script("s")).toThrow(expect.objectContaining({ kind: "absent" }))
    },
  )

  it.each(["read", "size", "list"] as const)("%s: no file outside the roots", (verb) => {
    const { host } = hostOf()
    for (const path of ["..", "/", "/etc/passwd", "sub/../../x", "a\0b"])
      expect(() => host.files[verb](path)).toThrow(expect.objectContaining({ kind: "access" }))
  })

  it("no shell unless it is allowed; then in the host's folder", () => {
    expect(() => hostOf().host.shell("ts +/!9")).toThrow(
      expect.objectContaining({ kind: "access", detail: expect.stringMatching(/^\\ts is no command of K, .*--shell allow/) }),
    )
    const { root, host } = hostOf({ shell: "allow" })
    writeFileSync(join(root, "sub/here"), "")
    host.files.cd("sub")
    expect(host.shell(process.platform === "win32" ? "dir /b" : "ls").trim()).toBe("here")
  })

  it("arguments and addresses", () => {
    const { host } = hostOf()
    expect(host.env.args.map(fromBytes)).toEqual(["é"])
    expect(host.env.address("localhost")).toBe(0x7f000001)
    expect(host.env.address("10.0.0.255")).toBe(0x0a0000ff)
    expect(host.env.address("no.such.name")).toBeUndefined()
  })

  it("no room when memory is above the limit, at any moment", () => {
    const { host } = hostOf({ memory: new Memory(1000) })
    expect(host.room(0)).toBe(false)
  })
})

it("messages are bytes of UTF-8, mixed with characters beyond bytes", () => expect(fromBytes(`\xc3\xa9…${toBytes("☃")}`)).toBe("é…☃"))

it("the system's text is the part of the message after the code", () => {
  expect(systemText(new Error("ENOENT: no such file or directory, open 'x'"))).toBe("no such file or directory")
  expect(systemText(new Error("odd"))).toBe("odd")
})

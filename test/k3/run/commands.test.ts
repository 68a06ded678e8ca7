/** The output of commands about their host. */
import { describe, expect, it } from "vitest"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { memoryHost } from "../../lib/memoryHost.ts"

it("memory in use is a whole number of bytes, whatever the host counts", () => {
  const host = { ...memoryHost(), memoryUsed: () => 1000.6 }
  expect(makeInterpreter(host).evaluate("\\w")).toBeUndefined()
  expect(host.take()).toBe("1001 bytes in use\n")
})

it("\\v of a directory that was removed names it", () => {
  const k = makeInterpreter(memoryHost())
  for (const each of ["\\d p.q", ".k:.()"]) k.evaluate(each)
  expect(["\\v", "\\v ^"].map((each) => k.evaluate(each)?.hint)).toEqual([".k.p.q is no directory", ".k.p is no directory"])
})

describe("after a script the directory is the one before it", () => {
  const after = (script: string, ...statements: readonly string[]): string => {
    const host = memoryHost()
    host.stored.set("s.k", Buffer.from(script))
    const k = makeInterpreter(host)
    for (const each of statements) k.evaluate(each)
    return host.take()
  }

  it.each([
    ["that went to another one", "\\d sub\na:1", ["\\l s", "\\d", "a:2", "sub.a", "a"], ".k\n1\n2\n"],
    ["that an error ended there", "\\d sub\na:1\n1+`b", ["\\l s", "\\d", "sub.a"], ".k\n1\n"],
    ["when it was the root", "\\d .x\na:1", ["\\d ^", "\\l s", "_d", "\\d .k", ".x.a"], "`\n1\n"],
    ["when it was one below", "\\d ^\n\\d ^\nv:1", ["\\d p.q", "\\l s", "\\d", "b:3", ".k.p.q.b"], ".k.p.q\n3\n"],
    ["that removed the directory", ".k:.()", ["\\d p.q", "\\l s", "\\d", "c:1", "\\v"], ".k.p.q\nc\n"],
    ["that cleared the tree", "\\9\n\\d .x\na:1", ["\\d p", "\\l s", "\\d", "b:4", ".k.p.b", ".x.a"], ".k.p\n4\n1\n"],
  ])("%s", (_what, script, statements, printed) => expect(after(script, ...statements)).toBe(printed))
})

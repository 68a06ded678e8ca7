import { expect, it } from "vitest"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { memoryHost } from "../../lib/memoryHost.ts"

const kept = { value: 1e6, total: 1e6, soon: Infinity }

it("a list that shares its items, and whose image would be far larger than memory, is told as too large at once", () => {
  const interpreter = makeInterpreter(memoryHost())
  expect(interpreter.evaluate("b:,!1000;do[60;b:(b;b)]")).toBeUndefined()
  expect(interpreter.large(1e6).map(({ path }) => path)).toEqual([".k.b"])
})

it("a capture of such a list, in a variable or in its attributes, ends, and tells why there is no image", () => {
  const interpreter = makeInterpreter(memoryHost(), { steps: 1e7 })
  expect(interpreter.evaluate("b:,!1000;do[60;b:(b;b)];a:1;a..note:b;c:(b;,b)")).toBeUndefined()
  expect(interpreter.capture(-1, { ...kept, soon: 1e4 }).changed.map(({ path }) => path)).toEqual([])
  const { changed } = interpreter.capture(-1, kept)
  expect(changed.map(({ path, shape }) => `${path} ${shape}`)).toEqual([`.k.b ${"2 ".repeat(60)}1 1000`, ".k.a ", ".k.c 2"])
  expect(changed.map(({ image, why }) => image === undefined && why)).toEqual([
    expect.stringContaining("more than the 1000000 that are kept"),
    expect.stringContaining("attributes"),
    expect.stringContaining("more than the 1000000 that are kept"),
  ])
})

it("the shape of a list that shares its items takes no longer than that of its parts", () => {
  const host = memoryHost()
  const interpreter = makeInterpreter(host, { steps: 1e6 })
  expect(interpreter.evaluate("b:1 2;do[40;b:(b;b)];(#^b;^(b;,b);#^(b;b 0);^(b;(b 0;1)))")).toBeUndefined()
  expect(host.take()).toBe("(41\n ,2\n 41\n 2 2)\n")
})

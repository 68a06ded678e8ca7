import { type ChildEnded, describeEnd } from "../../src/child/Child.ts"
import { assert, it } from "@effect/vitest"
import { cutMark } from "../../src/child/Process.ts"
import { shortStack } from "../../src/child/standardError.ts"

it("S5 a stack trace on standard error keeps its first places", () => {
  const places = Array.from({ length: 100 }, (_, i) => `   at Place${i}(String)`)
  assert.strictEqual(
    shortStack(["Stack overflow.", ...places, "Aborted", ...places.slice(0, 3), ""].join("\n")),
    ["Stack overflow.", ...places.slice(0, 3), "   … and 97 more places", "Aborted", ...places.slice(0, 3)].join("\n"),
  )
  assert.strictEqual(shortStack("no stack\n"), "no stack")
})

it("S5 a stack trace that was cut in the middle keeps its first places, once", () => {
  const places = Array.from({ length: 100 }, (_, i) => `   at Place${i}(String)`)
  assert.strictEqual(
    shortStack(["Stack overflow.", ...places.slice(0, 20), cutMark, ...places.slice(60), "Aborted", ...places.slice(0, 4)].join("\n")),
    ["Stack overflow.", ...places.slice(0, 3), "   … and more places", "Aborted", ...places.slice(0, 3), "   … and 1 more places"].join(
      "\n",
    ),
  )
})

it("S5 the end of a child is described in one line, without the stack trace", () => {
  const ended = { reason: "exit", exit: { code: null, signal: "SIGABRT" } } as ChildEnded
  const told = (stderr: string) => describeEnd({ ...ended, stderr })
  assert.strictEqual(told("\nStack overflow.\n   at A.B()\n   at C.D()\n"), "the interpreter ended with signal SIGABRT: Stack overflow")
  assert.strictEqual(told(""), "the interpreter ended with signal SIGABRT")
})

/** Reading an image from the integers that K prints for it. */
import { assert, describe, it } from "@effect/vitest"
import { read } from "../../../src/child/engines/image.ts"
import { makeConsole } from "../../lib/session.ts"

const image = (code: string) => read(makeConsole().enter(`_ic _bd ${code}`))

describe("read", () => {
  for (const code of [
    "1",
    "1.5",
    '"c"',
    "`s",
    "_n",
    "!3",
    "1%!3",
    '"a\\"b\\n\\\\"',
    "`a`b",
    '(1;"ab";`c;(1.5;`d`e))',
    ".((`a;1);(`b;(2;`q)))",
  ])
    it(`finds no function in ${code}`, () => {
      assert.deepInclude(image(code), { isFunction: false, holdsFunction: false })
    })

  it("finds a function, also deep inside", () => {
    assert.deepInclude(image("{x+1}"), { isFunction: true, holdsFunction: true })
    for (const code of ["(1;{x})", '("abc";(`a;1.5;({x};2)))', ".((`a;`b`c);(`f;{x}))"])
      assert.deepInclude(image(code), { isFunction: false, holdsFunction: true })
  })

  it("tells the length", () => {
    const console = makeConsole()
    assert.strictEqual(String(image("`a`bc").bytes), console.enter("#_bd `a`bc"))
  })
})

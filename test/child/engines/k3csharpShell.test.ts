import { describe, expect, it } from "vitest"
import { shellCommandIn } from "../../../src/child/engines/k3csharpShell.ts"

describe("G4 code that K3CSharp would pass to a shell", () => {
  // strace showed that K3CSharp starts /bin/sh for each of these.
  it.each([
    String.raw`\ls`,
    String.raw`\m`,
    String.raw`  \touch a`,
    String.raw`."\\touch a"`,
    String.raw`f:{."\\touch a"};f[]`,
    String.raw`\t ."\\touch a"`,
    String.raw`."\134touch a"`,
    "\u0085\\touch a",
    "\u200b\\touch a",
    "\ufeff\u200b\\touch a",
    "\u00a0\\touch a",
    "\x1c\\touch a",
    "\0\\touch a",
    "\\v\u00a0;touch a",
    "\\v\t;touch a",
    "\\cd\u2003;touch a",
    String.raw`\?;touch a`,
    String.raw`\d^;touch a`,
    String.raw`\5;touch a`,
    String.raw`\5`,
    String.raw`@[.;"\\touch a";:]`,
    String.raw`.'("\\touch a";"1")`,
  ])("refused: %j", (line) => expect(shellCommandIn(line)).toBeDefined())

  it.each([
    "1+1",
    String.raw`\v`,
    String.raw`\v .k.a`,
    String.raw`\l script`,
    String.raw`\t 1+1`,
    String.raw`\t \ls`,
    String.raw`\d ^`,
    String.raw`\d^`,
    String.raw`\cd ..`,
    String.raw`\9`,
    String.raw`\p 10`,
    String.raw`\r 5`,
    String.raw`\?`,
    String.raw`\+`,
    String.raw`\_`,
    "\\",
    String.raw`s:"\\alpha"`,
    String.raw`f["\\alpha";1.5]`,
    String.raw`a.b,"\\alpha"`,
    String.raw`."1+1"`,
    String.raw`."\\v"`,
    String.raw`+\1 2 3`,
  ])("taken: %j", (line) => expect(shellCommandIn(line)).toBeUndefined())
})

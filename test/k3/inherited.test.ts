/** Names that every JavaScript object has are names like others. */
import { describe, expect, it } from "vitest"
import { lookUp } from "../../src/help/help.ts"
import { validate } from "../../src/k3/syntax/validate.ts"
import { printed } from "../lib/session.ts"

const names = ["constructor", "toString", "valueOf", "hasOwnProperty", "isPrototypeOf", "toLocaleString"]
const held = { names: new Map<string, number>(), directory: ".k" }

describe.each(names)("%s", (name) => {
  it("is a function's name", () => expect(printed(`${name}:{x+1}\n${name}[2]\n${name} 3\n@[${name};4]`)).toBe("3\n4\n5"))

  it("is a name in a dictionary, a directory and a table of locals", () => {
    expect(printed(`d:.,(\`${name};1);d[\`${name}]`)).toBe("1")
    expect(printed(`.k.sub.${name}:7\n.k.sub.${name}`)).toBe("7")
    expect(printed(`{[${name}] ${name}+1} 2`)).toBe("3")
    expect(printed(`@[{'"${name}"};0;:]`)).toBe(`(1;"${name}")`)
  })

  it("is no command: it goes to the shell, which is closed", () => expect(printed(`\\${name}`)).toMatch(/^access error/))

  it("is nothing that help or a check knows", () => {
    expect(lookUp(name)).toMatchObject({ kind: "matches" })
    expect(validate(`${name}:1;${name}`, held)).toEqual([])
    expect(validate(`1+${name}`, held).map(({ code }) => code)).toEqual(["unknown-name"])
    expect(printed(`\\help ${name}`)).toBe(`nothing about ${name} among the verbs and names`)
  })
})

/** N11: the spaces of principals while their limits change. */
import { expect, it } from "vitest"
import { type Principal, usualLimits } from "../../../src/mcp/http/Principal.ts"
import type { Space } from "../../../src/mcp/Space.ts"
import type { PrincipalFace } from "../../../src/mcp/http/PrincipalFace.ts"
import { type OpenSpace, Spaces } from "../../../src/mcp/http/Spaces.ts"

const principal = (maxSessions: number): Principal => ({
  space: "anna",
  name: "anna",
  credential: "anna",
  readOnly: false,
  limits: usualLimits({ maxSessions }),
})

it("N11 a face that is made while its space is still opening is closed with the space when the limits change", async () => {
  const said: string[] = []
  const spaceOf = (name: string): OpenSpace => ({
    full: {} as Space,
    readOnly: {} as Space,
    close: async () => void said.push(`space ${name} closed`),
  })
  const opening: ((space: OpenSpace) => void)[] = []
  let made = 0
  const spaces = new Spaces({
    local: spaceOf("local"),
    open: () => new Promise((resolve) => void opening.push(resolve)),
    makeFace: () => {
      const number = ++made
      return { close: async () => void said.push(`face ${number} closed`) } as PrincipalFace
    },
  })
  const before = spaces.face(principal(1))
  const after = spaces.face(principal(2))
  opening[0]!(spaceOf("one"))
  await before
  await expect.poll(() => opening.length).toBe(2)
  opening[1]!(spaceOf("two"))
  await after
  expect(said).toEqual(["face 1 closed", "space one closed"])
})

/** The spaces of principals: N11, while their limits change, and at the limit of their number. */
import { expect, it } from "vitest"
import { localSpace, type Principal, usualLimits } from "../../../src/mcp/http/Principal.ts"
import type { McpEndpoint } from "../../../src/mcp/http/McpEndpoint.ts"
import { Spaces } from "../../../src/mcp/http/Spaces.ts"
import type { OpenSpace, Space } from "../../../src/mcp/Space.ts"

const principal = (maxSessions: number, name = "anna"): Principal => ({
  space: name,
  name,
  credential: name,
  readOnly: false,
  limits: usualLimits({ maxSessions }),
})

it("N11 an endpoint that is made while its space is still opening is closed with the space when the limits change", async () => {
  const said: string[] = []
  const spaceOf = (name: string): OpenSpace => ({
    full: {} as Space,
    readOnly: {} as Space,
    isEmpty: async () => true,
    close: async () => void said.push(`space ${name} closed`),
  })
  const opening: ((space: OpenSpace) => void)[] = []
  let made = 0
  const spaces = new Spaces({
    local: spaceOf("local"),
    most: 1000,
    isServing: () => true,
    open: () => new Promise((resolve) => void opening.push(resolve)),
    makeEndpoint: () => {
      const number = ++made
      return { close: async () => void said.push(`endpoint ${number} closed`) } as unknown as McpEndpoint
    },
  })
  const before = spaces.endpoint(principal(1))
  const after = spaces.endpoint(principal(2))
  await expect.poll(() => opening.length).toBe(1)
  opening[0]!(spaceOf("one"))
  await before
  await expect.poll(() => opening.length).toBe(2)
  opening[1]!(spaceOf("two"))
  await after
  expect(said).toEqual(["endpoint 1 closed", "space one closed"])
})

/** At most two principals beside the local one. */
const twoPlaces = () => {
  const opened: string[] = []
  const closed: string[] = []
  /** The spaces with an open session, and those with a request under way. */
  const full = new Set<string>()
  const serving = new Set<string>()
  /** Lets the closing spaces close. */
  const closings: (() => void)[] = []
  const spaceOf = (name: string): OpenSpace => ({
    full: {} as Space,
    readOnly: {} as Space,
    isEmpty: async () => !full.has(name),
    close: () => new Promise((resolve) => closings.push(() => resolve(void closed.push(name)))),
  })
  const spaces = new Spaces({
    local: spaceOf(localSpace),
    most: 2,
    isServing: (space) => serving.has(space),
    open: async ({ space }) => {
      opened.push(space)
      return spaceOf(space)
    },
    makeEndpoint: () => ({ close: async () => {} }) as unknown as McpEndpoint,
  })
  const ask = async (name: string) => {
    serving.add(name)
    try {
      await spaces.endpoint(principal(1, name))
    } finally {
      serving.delete(name)
    }
  }
  return { ask, opened, closed, full, serving, closings }
}

it("at the limit, the space that was unused for longest is closed for a new principal", async () => {
  const { ask, opened, closed, closings } = twoPlaces()
  await ask("anna")
  await ask("berta")
  await ask("anna")
  const clara = ask("clara")
  await expect.poll(() => closings.length).toBe(1)
  closings[0]!()
  await clara
  expect(closed).toEqual(["berta"])
  expect(opened).toEqual(["anna", "berta", "clara"])
})

it("a space with a session or a request is not closed for another one: the refusal names the limit", async () => {
  const { ask, closed, full, serving } = twoPlaces()
  await ask("anna")
  await ask("berta")
  full.add("anna")
  serving.add("berta")
  await expect(ask("clara")).rejects.toThrow("2 principals are served already")
  expect(closed).toEqual([])
})

it("a principal that comes back while its space is closed for another one gets a new space after that", async () => {
  const { ask, opened, closed, closings } = twoPlaces()
  await ask("anna")
  await ask("berta")
  const clara = ask("clara")
  await expect.poll(() => closings.length).toBe(1)
  const anna = ask("anna")
  await expect.poll(() => closings.length).toBe(2)
  closings[1]!()
  expect(opened).toEqual(["anna", "berta"])
  closings[0]!()
  await Promise.all([anna, clara])
  expect(closed).toEqual(["berta", "anna"])
  expect(opened.slice(2).sort()).toEqual(["anna", "clara"])
})

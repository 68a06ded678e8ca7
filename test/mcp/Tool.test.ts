/** M6 arguments are validated, and an error names each wrong argument. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { BuildNotFound } from "../../src/child/ChildError.ts"
import { definedTool } from "../../src/mcp/definedTool.ts"
import { tools } from "../../src/mcp/tools/index.ts"
import { NotDrawn } from "../../src/session/plots/Painter.ts"
import { DeadlineExceeded, NoOutput } from "../../src/session/SessionError.ts"
import { Sessions } from "../../src/session/Sessions.ts"
import { background, evaluated, fakeLayer, fakeSession } from "./fakeSessions.ts"

const call = (name: string, given: unknown, layer = fakeLayer()) =>
  Effect.runPromise(Effect.provide(tools.find((tool) => tool.name === name)!.call(given), layer))

describe("M6", () => {
  it.each(tools.map(({ name }) => [name]))("%s refuses an unknown argument by name", async (name) => {
    const { text, isError, structured } = await call(name, { code: "1", sesion: "main", depht: 2 })
    expect(isError).toBe(true)
    expect(text).toMatch(/"sesion".*"depht"/)
    expect(text).toMatch(new RegExp(`Call ${name} again with`))
    expect(structured).toMatchObject({ ok: false, error: { name: "arguments", text } })
  })

  it.each([
    [{}, "code"],
    [undefined, "code"],
    [{ code: 5 }, "code"],
    [{ code: "1", timeout_ms: "500" }, "timeout_ms"],
    [{ code: "1", timeout_ms: 0 }, "timeout_ms"],
    [{ code: "1", timeout_ms: Number.NaN }, "timeout_ms"],
    [{ code: null }, "code"],
    [{ code: "1", expect_generation: 1.5 }, "expect_generation"],
    [{ code: "\ud83d" }, "code"],
    [{ code: "1", session: "a/b" }, "session"],
    [{ code: "1", session: "" }, "session"],
    [{ code: "1", session: "x".repeat(65) }, "session"],
  ])("k_eval refuses %j and names what is wrong", async (given, named) => {
    const { text, isError } = await call("k_eval", given)
    expect(isError).toBe(true)
    expect(text).toContain(`  ${named}: `)
  })

  it("a version of a definition is a whole number", async () => {
    const { text, isError } = await call("k_define", { action: "source", name: "kf_mean", version: 1.5 })
    expect(isError).toBe(true)
    expect(text).toContain("  version: Expected an integer")
  })

  it.each([
    ["k_inspect", { find: "" }, "find: give a text, of one character or more"],
    ["k_inspect", { cursor: "x" }, "cursor: give the cursor of the last reply"],
    ["k_output", { handle: "o1", find: "a\nb" }, "find: give 1 to 1000 characters of one line"],
    ["k_compare", { code: "1", between: ["disk"] }, "between: give two sides"],
    ["k_validate", { code: "1".repeat(100_001) }, "code: at most 100000 characters are checked; give a part of it"],
  ])("%s with %j says what to give, not how it is checked", async (name, given, said) => {
    expect((await call(name, given)).text).toContain(`  ${said}\n`)
  })

  it("the error for a missing argument gives its allowed values", async () => {
    expect((await call("k_session", {})).text).toContain("  action: missing; one of list, create, fork, merge, interrupt, close, scripts\n")
  })

  it.each(
    tools.flatMap((tool) => {
      const { properties, required = [] } = tool.describe().inputSchema as {
        readonly properties: { readonly [name: string]: { readonly enum?: readonly string[] } }
        readonly required?: readonly string[]
      }
      const actions: readonly (string | undefined)[] = properties["action"]?.enum ?? [undefined]
      const nothing = Object.fromEntries(Object.keys(properties).map((name) => [name, null]))
      return actions.map((action) => {
        const least = { ...Object.fromEntries(required.map((name) => [name, "x"])), ...(action !== undefined && { action }) }
        return [tool.name, least, { ...nothing, ...least }] as const
      })
    }),
  )("%s with %j: null is as good as nothing for each other argument", async (name, least, given) => {
    expect((await call(name, given)).text).toBe((await call(name, least)).text)
  })

  it("k_define takes an example without result for none, when arguments are null too", async () => {
    const { text } = await call("k_define", { action: "define", name: "f", code: "{x}", arguments: null, result: null, timeout_ms: 0 })
    expect(text).toContain("timeout_ms: more than 0")
    expect(text).not.toContain("an example is both")
  })

  it("an error lists all problems", async () => {
    const { text } = await call("k_eval", { timeout_ms: -1, session: "" })
    for (const named of ["code", "timeout_ms", "session"]) expect(text).toContain(`  ${named}: `)
  })
})

describe("a part without anything is not called the whole", () => {
  it("k_history list of numbers that no entry has", async () => {
    const page = () => Effect.succeed({ entries: [], damaged: 0 })
    const layer = fakeLayer({ history: { of: () => Effect.succeed({ first: 1, last: 4, page }) } })
    expect((await call("k_history", { action: "list", from: 9 }, layer)).text).toBe(
      "The history of session main has no such entry: it has 1 to 4.",
    )
  })

  it.each(["replay", "transcript", "test"])("k_history %s of numbers that no entry has", async (action) => {
    const page = () => Effect.succeed({ entries: [], damaged: 0 })
    const layer = fakeLayer({ history: { of: () => Effect.succeed({ first: 2, last: 4, page }) } })
    for (const range of [{ from: 9 }, { from: 5, to: 9 }, { to: 1 }, { from: 4, to: 3 }])
      expect(await call("k_history", { action, ...(action === "replay" && { into: "b" }), ...range }, layer)).toMatchObject({
        text: "The history of session main has no such entry: it has 2 to 4. Call k_history with from and to among these.",
        isError: true,
      })
  })

  it("k_output find in an evaluation that has printed nothing", async () => {
    const { backgrounds, outputs } = await Effect.runPromise(Effect.provide(Sessions, fakeLayer()))
    const silent = { ...backgrounds, find: () => Effect.succeed({ ...background, bytes: 0 }) }
    const none = { ...outputs, find: (handle: string) => Effect.fail(new NoOutput({ handle, dropped: false, kept: [] })) }
    const layer = fakeLayer({ backgrounds: silent, outputs: none })
    expect((await call("k_output", { handle: "e12", find: "x" }, layer)).text).toBe('No line of e12 holds "x".')
  })

  it("k_inspect with a cursor after the last name", async () => {
    const layer = fakeLayer({
      session: { inspect: () => Effect.succeed({ path: ".k", entries: [], generation: 1, ageMs: 0, omitted: 0 }) },
    })
    expect((await call("k_inspect", { cursor: "200" }, layer)).text).toBe("There is nothing more: .k has no name after the first 200.")
  })
})

it("k_define asks for a name in place of an empty one, and shortens one that no tool has", async () => {
  for (const action of ["define", "source", "remove", "run", "test"])
    expect((await call("k_define", { action, name: "" })).text).toContain("name: give the name of a tool")
  expect((await call("k_define", { action: "source", name: "x".repeat(5000) })).text.length).toBeLessThan(300)
})

it("k_define run runs the version that the call names", async () => {
  const version = (n: number) => ({
    name: "f",
    description: "adds",
    code: `{[v] v+${n}}`,
    parameters: [{ name: "v", type: "int" }],
    session: "main",
    version: n,
    at: n,
  })
  const asked: string[] = []
  const layer = fakeLayer({
    definitions: { versions: () => Effect.succeed([version(1), version(2)]) } as never,
    session: { evaluate: ({ code }) => Effect.sync(() => (asked.push(code), evaluated(""))) },
  })
  for (const which of [{}, { version: 1 }]) await call("k_define", { action: "run", name: "f", arguments: { v: 1 }, ...which }, layer)
  expect(asked).toEqual([expect.stringContaining("v+2"), expect.stringContaining("v+1")])
  const { text } = await call("k_define", { action: "run", name: "f", arguments: { v: 1 }, version: 3 }, layer)
  expect(text).toContain("kf_f has no version 3. Call k_define run again with one of 1, 2.")
  const refused = async (given: object) => (await call("k_define", { name: "f", ...given }, layer)).text
  expect(await refused({ action: "run", memory_mb: 1 })).toContain("run takes memory_mb and parameters with code alone")
  expect(await refused({ action: "remove", version: 1 })).toContain("remove takes no version")
  expect(asked).toHaveLength(2)
})

it.each([
  ["is drawn as nothing", { value: { engine: "embedded" as const, image: new Uint8Array(0) } }],
  ["has no image", {}],
])("k_plot of a value that %s shows output and notices, which are told once", async (_, value) => {
  const fresh = { kind: "fresh", generation: 2, why: "the interpreter ended with exit code 3", lost: [] } as never
  const plots = { begin: Effect.void, draw: () => Effect.fail(new NotDrawn({ reason: { _tag: "memory", most: 5 } })) } as never
  const evaluate = () => Effect.succeed(evaluated("printed\n", { notices: [fresh], ...value }))
  const { text, isError, structured } = await call("k_plot", { code: "5" }, fakeLayer({ session: { evaluate }, plots }))
  expect(text).toMatch(/^printed\nNote: a fresh interpreter answered[^]*Call k_plot again/)
  expect(isError).toBe(true)
  expect(structured).toMatchObject({ ok: false, output: "printed\n", notice: expect.stringContaining("fresh") })
})

const late = { session: "main", timeoutMs: 300, waiting: false, statement: "while[1;1]", statementNumber: 1, output: "" }

it("the deadline of k_plot asks for k_plot again, which alone gives a picture", async () => {
  const error = new DeadlineExceeded({ ...late, state: "kept", generation: 1 })
  const { text } = await call("k_plot", { code: "while[1;1]" }, fakeLayer({ session: { evaluate: () => Effect.fail(error) } }))
  expect(text).toContain("Call k_plot with something smaller, or with a larger timeout_ms (up to 600000).")
})

it("S25 an evaluation with changes whose interpreter was killed at the deadline says that they are not known", async () => {
  const held = { variables: 2, missed: 0, lost: [] }
  const error = new DeadlineExceeded({ ...late, state: "restored", held, changes: null, generation: 2 })
  const layer = fakeLayer({ session: { evaluate: () => Effect.fail(error) } })
  const { text, structured } = await call("k_eval", { code: "while[1;1]", changes: true }, layer)
  expect(text).toContain("\nChanges: not known, the interpreter was killed.\nCall k_eval")
  expect(structured).not.toHaveProperty("changes")
})

it.each([
  ["k_compare", { between: ["k3csharp", "disk"], code: "1" }],
  ["k_session", { action: "create", engine: "k3csharp" }],
])("M6 %s without a build names itself as the call that tries again", async (name, given) => {
  const none = () => Effect.fail(new BuildNotFound({ folder: "/b", missing: "the folder" }))
  const { text } = await call(name, given, fakeLayer({ compare: none, create: none }))
  expect(text).toContain(`then call ${name} again.`)
})

it.each([
  [400, 200, "or with a larger timeout_ms (up to 400)."],
  [400, undefined, "or give kf_f a larger timeout_ms (up to 600000) with k_define."],
])("M6 a tool with a deadline of %s ms, called with %s, says which call has more time", async (own, given, said) => {
  const timeoutMs = given ?? own
  const layer = fakeLayer({
    session: { evaluate: () => Effect.fail(new DeadlineExceeded({ ...late, state: "kept", generation: 1, timeoutMs })) },
  })
  const nothing = { description: "", parameters: [], touches: [], assigns: [], unknown: [] }
  const tool = definedTool({ ...nothing, name: "f", version: 1, at: 0, code: "{1}", session: "main", timeoutMs: own })
  const { text } = await Effect.runPromise(Effect.provide(tool.call({ timeout_ms: given }), layer))
  expect(text.endsWith(said)).toBe(true)
})

it("k_history replay shows the notices of its evaluations, which are told once", async () => {
  const entry = { n: 1, at: 0, code: "a:1", ok: true, output: "", ms: 1, generation: 1 }
  const page = () => Effect.succeed({ entries: [entry], damaged: 0 })
  const fresh = { kind: "fresh", generation: 2, why: "the interpreter ended with exit code 3", lost: [] } as const
  const evaluate = () => Effect.succeed(evaluated("", { notices: [fresh, { kind: "brace", line: 1 }] }))
  const layer = fakeLayer({ session: { evaluate }, history: { of: () => Effect.succeed({ first: 1, last: 1, page }) } })
  const { text, structured } = await call("k_history", { action: "replay", into: "main" }, layer)
  expect(text).toMatch(/^Ran in session main: 1\.\nNote: a fresh interpreter answered [^\n]*$/)
  expect(structured).toMatchObject({ ok: true, ran: "1", notice: expect.stringContaining("fresh") })
})

it("k_compare shows the notices of a session that is a side, which are told once", async () => {
  const fresh = { kind: "fresh", generation: 2, why: "the interpreter ended with exit code 3", lost: [] } as const
  const done = { items: 1, differing: 0, fallen: 0, unanswered: 0, ms: { a: 1, b: 2 }, rows: [], left: 0, notices: [fresh] }
  const { text, structured } = await call(
    "k_compare",
    { between: ["main", "disk"], code: "1" },
    fakeLayer({ compare: () => Effect.succeed(done) }),
  )
  expect(text).toMatch(/\nNote: a fresh interpreter answered [^\n]*$/)
  expect(structured).toMatchObject({ ok: true, notice: expect.stringContaining("fresh") })
})

describe("an argument that an action would ignore is refused", () => {
  it.each([
    ["k_snapshot", { action: "save", to: "b" }, "save takes no to"],
    ["k_snapshot", { action: "undo", name: "b" }, "undo takes no name"],
    ["k_snapshot", { action: "redo", name: "b" }, "redo takes no name"],
    ["k_snapshot", { action: "list", name: "b" }, "list takes no name; save, diff, rebase, restore, rename, delete do"],
    ["k_history", { action: "script", from: 2 }, "script takes no from; list, search, replay, transcript, test do"],
    ["k_history", { action: "list", text: "v" }, "list takes no text; search does"],
    ["k_history", { action: "show", n: 1, into: "b" }, "show takes no into; replay does"],
    ["k_session", { action: "create", name: "b", snapshot: "c" }, "create takes no snapshot; fork, merge do"],
    ["k_session", { action: "create", session: "b" }, "create takes no session"],
    [
      "k_session",
      { action: "list", engine: "embedded", overwrite: true },
      "list takes no engine; create, fork do\n  list takes no overwrite",
    ],
    ["k_define", { action: "list", name: "f" }, "list takes no name"],
    ["k_define", { action: "test", name: "f", version: 1 }, "test takes no version; source, run do"],
    ["k_define", { action: "source", name: "f", timeout_ms: 1 }, "source takes no timeout_ms; define, run do"],
    ["k_define", { action: "run", code: "{5}", version: 1 }, "version goes with a name"],
    ["k_output", { handle: "o1", find: "x", wait_ms: 5 }, "find: gives whole lines"],
    ["k_output", { handle: "o1", find: "x", unit: "byte" }, "find: gives whole lines"],
    ["k_session", { action: "create", name: "b", names: ["c"] }, "create takes no names"],
    ["k_session", { action: "fork", name: "b", names: ["c"] }, "fork takes no names"],
  ])("%s %j", async (name, given, why) => {
    const { text, isError } = await call(name, given)
    expect(isError).toBe(true)
    expect(text).toContain(why)
    expect(text).toContain(`Call ${name}`)
  })
})

it("an argument with its default, or without an item, goes with every action", async () => {
  for (const given of [{ overwrite: false, ephemeral: false }, { names: [] }, { session: "main" }])
    expect((await call("k_session", { action: "list", ...given })).isError).toBeUndefined()
  expect((await call("k_history", { action: "list", limit: 20 })).isError).toBeUndefined()
})

it("k_inspect says why a slice that is turned round, empty or behind the end has no item", async () => {
  const value = { name: "v", type: -1, kind: "integers", shape: "3", preview: "!0" }
  const inspect = (path: string) => Effect.succeed({ path, entries: [], value, generation: 1, ageMs: 0, omitted: 0 })
  const layer = fakeLayer({ session: { inspect } })
  for (const slice of ["20 10", "2 2"])
    expect((await call("k_inspect", { path: ".k.v", slice }, layer)).text).toContain(`slice "${slice}" has no item`)
  const { structured } = await call("k_inspect", { path: ".k.v", slice: "3 9" }, layer)
  expect(structured).toMatchObject({ notice: expect.stringContaining("shows nothing: it has 3 items") })
  expect((await call("k_inspect", { path: ".k.v", slice: "2 9" }, layer)).structured).not.toHaveProperty("notice")
})

it.each([
  ["a directory", {}, "dictionary"],
  ["a function", { value: { name: "f", type: 7, kind: "function", shape: "", preview: "{x}" } }, "function"],
])("k_inspect of items of %s is refused; an index is not", async (_, listing, kind) => {
  const inspect = (path: string) => Effect.succeed({ path, entries: [], generation: 1, ageMs: 0, omitted: 0, ...listing })
  const layer = fakeLayer({ session: { inspect } })
  const { text, isError } = await call("k_inspect", { path: ".k.f", slice: "0 2" }, layer)
  expect([isError, text]).toEqual([true, expect.stringContaining(`slice "0 2" gives items of a list, and .k.f is no list (${kind})`)])
  expect((await call("k_inspect", { path: ".k.f", slice: "[`a]" }, layer)).isError).toBeUndefined()
})

describe("a tool's request to a session", () => {
  it("has the given arguments, and goes to the named session, else to main", async () => {
    const asked: unknown[] = []
    const layer = fakeLayer({
      get: (name) =>
        Effect.succeed({
          ...fakeSession(),
          evaluate: (request) => {
            asked.push([name, request])
            return Effect.succeed(evaluated(""))
          },
          inspect: (path) => {
            asked.push([name, path])
            return Effect.succeed({ path, entries: [], generation: 1, ageMs: 0, omitted: 0 })
          },
        }),
    })
    await call("k_eval", { code: "1", timeout_ms: 500, expect_generation: 3 }, layer)
    await call("k_eval", { code: "2", session: "other", timeout_ms: null, expect_generation: null }, layer)
    await call("k_inspect", undefined, layer)
    await call("k_inspect", { path: ".k.d", session: "other" }, layer)
    expect(asked).toEqual([
      ["main", { code: "1", timeoutMs: 500, expectGeneration: 3, waited: expect.any(Number) }],
      ["other", { code: "2", waited: expect.any(Number) }],
      ["main", ""],
      ["other", ".k.d"],
    ])
  })

  it("of k_reset with all goes to every session", async () => {
    const layer = fakeLayer({ resetAll: Effect.succeed(["a", "b"].map((name) => ({ name, how: "relaunched" as const, generation: 4 }))) })
    expect((await call("k_reset", { all: true }, layer)).text).toBe(
      "2 sessions are clean: a (relaunched, generation 4), b (relaunched, generation 4).",
    )
  })
})

/** W1 warnings in replies, on the built server. */
import { describe, expect, it } from "vitest"
import { engines, evaluate, k3csharpBuild, start } from "./server.ts"

describe.each(engines)("W1 on %s", (engine, args) => {
  const test = it.skipIf(engine === "k3csharp" && k3csharpBuild === undefined)

  test("a trap that the output shows gives a warning of at most three lines, and correct code gives none", async () => {
    const server = start(args)
    await server.initialize()
    expect((await evaluate(server, "+ /1 2 3")).notice).toMatch(/^Note: a \/ behind a blank begins a comment.*Write \+\/ without the blank/)
    expect((await evaluate(server, "a:5\n$[a>3;1;2]")).notice).toContain("Note: line 2: $ formats, and chooses nothing. Write :[c;a;b]")
    expect((await evaluate(server, "f:{$[x>3;1;2]}")).notice).toContain("$ formats, and chooses nothing")
    const many = await evaluate(server, "a:99999999999\nb:99999999999\nc:99999999999\nd:99999999999")
    expect(many.notice.match(/^Note: /gm)).toHaveLength(3)
    for (const code of ["+/1 2 3", "b:1 / one\n2", "f:{x+1}", "f 3", "a=5", "5$`a", ":[a>3;1;2]", "g:{later}", "if[a;h:g]"])
      expect([code, (await evaluate(server, code)).notice]).toEqual([code, undefined])
  })
})

it("W1 a name that a function read as nil is named, if the session does not hold it", async () => {
  const server = start(["--engine", "embedded", "--state-dir", "none"])
  await server.initialize()
  expect((await evaluate(server, "f:{x+rate}\nf 1")).notice).toMatch(
    /^Note: line 1: rate: nothing has given it a value, and in a function it reads as nil\.$/,
  )
  expect((await evaluate(server, "{rate}[]")).notice).toContain("rate: nothing has given it a value")
  await evaluate(server, "rate:2")
  expect((await evaluate(server, "{x+rate} 1")).notice).toBeUndefined()
  expect((await evaluate(server, "{x+rate} `a")).notice).toBeUndefined()
})

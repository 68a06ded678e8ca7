/** C7 kept examples, over sessions without processes: each fork that an example may have left without a child is replaced. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { tryExamples } from "../../src/mcp/examples.ts"
import { DeadlineExceeded } from "../../src/session/SessionError.ts"
import { fakeLayer, fakeSession } from "./fakeSessions.ts"

const late = new DeadlineExceeded({
  session: "s1",
  state: "restored",
  generation: 2,
  statement: "",
  statementNumber: 1,
  output: "",
  timeoutMs: 100,
  waiting: false,
})

it.effect("C7 the example after one that loops runs in a fork of its own, and every fork is closed", () => {
  const calls: string[] = []
  let forks = 0
  const begun = { engine: "k3csharp" as const, generation: 1, isEphemeral: true, variables: undefined }
  const layer = fakeLayer({
    fork: () => Effect.sync(() => ({ ...begun, name: `s${++forks}` })),
    close: (name) => Effect.sync(() => (calls.push(`close ${name}`), undefined as never)),
    get: (name) =>
      Effect.succeed(
        fakeSession({
          evaluate: ({ code }) => {
            calls.push(`${name} ${code}`)
            return late
          },
        }),
      ),
  })
  const tool = { name: "f", code: "{[x]x}", parameters: [{ name: "x", type: "int" as const }], session: "main", touches: [], assigns: [] }
  const examples = [
    { arguments: { x: 1 }, result: 1 },
    { arguments: { x: 1 }, result: 2 },
  ]
  return Effect.gen(function* () {
    const { ran, failing } = yield* tryExamples([{ ...tool, examples } as never], { impure: true })
    assert.deepStrictEqual([ran, failing.map(({ example }) => example)], [2, [1, 2]])
    assert.deepStrictEqual(calls, ["s1 ({[x]x}) . ,1", "close s1", "s2 ({[x]x}) . ,1", "close s2"])
  }).pipe(Effect.provide(layer))
})

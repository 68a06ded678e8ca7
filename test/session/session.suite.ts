/**
 * The promises of every session, with any kind of child: one suite, run over a scripted child under a virtual clock, over the embedded
 * engine and over K3CSharp as real processes. A test carries the id of the promise it holds (ARCHITECTURE.md).
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { SettingValues } from "../../src/Settings.ts"
import type { Session } from "../../src/session/Session.ts"
import { Sessions } from "../../src/session/Sessions.ts"
import { isAlive } from "../lib/processes.ts"
import { until } from "../lib/waiting.ts"
import { backgrounds } from "./backgrounds.suite.ts"
import { evaluating } from "./evaluating.suite.ts"
import { keeping } from "./keeping.suite.ts"

/** A kind of child that the suite runs over. */
export interface Subject {
  readonly name: string
  readonly layer: (settings: Partial<SettingValues>) => Layer.Layer<Sessions>
  /** `it.effect` under the virtual clock, `it.live` with real processes. */
  readonly it: (name: string, body: () => Effect.Effect<void, unknown>) => void
  /** Lets this many milliseconds pass under the virtual clock. Does nothing under the real one. */
  readonly pass: (ms: number) => Effect.Effect<void>
  readonly alive: (pid: number) => boolean
  readonly interruptible: boolean
  readonly engine: "embedded" | "k3csharp"
  readonly code: {
    readonly value: readonly [code: string, output: string]
    readonly several: readonly [code: string, output: string]
    readonly assign: string
    /** Another value for the same name. */
    readonly reassign: string
    /** Another name. */
    readonly another: string
    readonly name: string
    readonly read: readonly [code: string, output: string]
    readonly loop: string
    readonly error: readonly [code: string, name: string]
    readonly exit: {
      readonly before: string
      /** Paths that `before` defines. */
      readonly defines?: readonly string[]
      readonly line: string
      readonly how: { exitCode: number | null; signal: string | null }
    }
    /** Prints more than 100,000 characters. */
    readonly flood: string
  }
}

/** A subject, and the function that makes its tests. */
export interface Stage extends Subject {
  readonly test: (
    name: string,
    settings: Partial<SettingValues>,
    body: (session: Session, sessions: Sessions["Service"]) => Effect.Effect<void, unknown>,
  ) => void
  readonly gone: (pid: number) => Effect.Effect<void>
  readonly pidOf: (session: Session) => Effect.Effect<number>
}

/** An overloaded machine takes more than a second for the answer to an interrupt. */
const shared = { evalTimeout: 60_000, interruptGrace: 30_000, restartFirstDelay: 20 } as const

const stage = (subject: Subject): Stage => ({
  ...subject,
  test: (name, settings, body) => {
    subject.it(name, () =>
      Effect.gen(function* () {
        const sessions = yield* Sessions
        yield* body(yield* sessions.get("main"), sessions)
      }).pipe(Effect.provide(subject.layer({ ...shared, engine: subject.engine, ...settings }))),
    )
  },
  gone: (pid) => until(Effect.sync(() => !subject.alive(pid))),
  pidOf: (session) => Effect.map(session.status, ({ pid }) => pid ?? assert.fail("no child")),
})

export const promises = (subject: Subject): void => {
  describe(subject.name, () => {
    evaluating(stage(subject))
    keeping(stage(subject))
    backgrounds(stage(subject))
  })
}

type Real = Pick<Subject, "name" | "layer" | "interruptible" | "engine"> & {
  readonly code: Pick<Subject["code"], "value" | "read" | "exit" | "flood">
}

/** A subject over a real interpreter process. `code`: K code and outputs that differ between engines. */
export const realPromises = (real: Real): void => {
  const subject: Subject = {
    ...real,
    it: it.live,
    pass: () => Effect.void,
    alive: isAlive,
    code: {
      several: ["1+1\n{[a]\n a+1}[4]\n\\p", "2\n5\n7\n"],
      assign: "x:5",
      reassign: "x:6",
      another: "y:1",
      name: "x",
      loop: "while[1;y:1]",
      error: ["foo", "value"],
      ...real.code,
    },
  }
  promises(subject)
  stage(subject).test(`S12 ${real.name}: inspection shows type, shape and preview; a path, a name and nothing`, {}, (session) =>
    Effect.gen(function* () {
      yield* session.evaluate({ code: 'v:!100\nm:(1 2;3 4)\nf:{x+1}\nt:"abc"\nd:.((`a;1);(`b;2))\ns:`q' })
      const { entries, path } = yield* session.inspect("")
      assert.strictEqual(path, ".k")
      assert.deepStrictEqual(
        entries.map(({ name, kind, shape }) => [name, kind, shape]),
        [
          ["v", "integers", "100"],
          ["m", "list", "2"],
          ["f", "function", ""],
          ["t", "characters", "3"],
          ["d", "dictionary", ""],
          ["s", "symbol", ""],
        ],
      )
      assert.strictEqual(entries[1]?.preview, "(1 2;3 4)")
      assert.deepStrictEqual(
        (yield* session.inspect(".k.d")).entries.map(({ name, preview }) => [name, preview]),
        [
          ["a", "1"],
          ["b", "2"],
        ],
      )
      for (const path of ["f", ".k.f"]) assert.deepInclude((yield* session.inspect(path)).value, { kind: "function", preview: "{x+1}" })
      assert.strictEqual((yield* session.inspect("nothing")).value?.kind, "no value")
    }),
  )
}

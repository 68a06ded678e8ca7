/**
 * S28 with any damage to the files of a state folder, the server starts, its sessions work, and unusable files are set
 * aside and reported; no variable appears that was never there.
 */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as fc from "fast-check"
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Sessions } from "../../src/session/Sessions.ts"
import { Script } from "../lib/scriptedChild.ts"
import { scripted } from "../lib/sessionLayers.ts"
import { scratch } from "../lib/stateFolder.ts"
import { tries } from "./scale.ts"

const server = <A, E>(stateDir: string, body: (sessions: Sessions["Service"]) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Sessions, body).pipe(
    Effect.provide([scripted(new Script(), { stateDir, engine: "embedded", evalTimeout: 5000 }), Logger.layer([])]),
  )

/** A scripted child prints 0 for a name that it does not know. */
const held = ["x: 5", "y: 6", "z: 7"]

/** A session's variables in two segments, one snapshot, a history and a crash record. */
const fill = Effect.fnUntraced(function* (folder: string) {
  yield* server(folder, (sessions) =>
    Effect.gen(function* () {
      const session = yield* sessions.get("main")
      yield* session.evaluate({ code: held.slice(0, 2).join("\n") })
      yield* session.persist
      yield* session.snapshots.save("s")
      yield* session.evaluate({ code: held[2]! })
      yield* session.persist
      yield* Effect.flip(session.evaluate({ code: "exit 7" }))
      yield* session.evaluate({ code: "print 1" })
    }),
  )
})

/** Every call that reads kept state. */
const readAll = (folder: string) =>
  server(folder, (sessions) =>
    Effect.gen(function* () {
      const session = yield* sessions.get("main")
      const values: string[] = []
      for (const name of ["x", "y", "z"]) values.push((yield* session.evaluate({ code: name })).output)
      const snapshots = yield* session.snapshots.list
      const history = yield* sessions.history.of("main")
      const { entries, damaged } = yield* history.page({ limit: 100 })
      const crashes = yield* sessions.crashes.all
      yield* session.persist
      const { trouble } = yield* sessions.disk
      return {
        values,
        kept: [
          ["variables", values.filter((value) => value !== "0").length],
          ["snapshots", snapshots.length],
          ["history", entries.filter(({ code }) => !/^[xyz]$/.test(code)).length],
          ["crashes", crashes.length],
        ] as const,
        trouble,
        damaged,
      }
    }),
  )

const files = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort()

interface Damage {
  readonly kind: "cut" | "flip" | "insert" | "empty" | "folder"
  /** Where in the file, from 0 to 1. */
  readonly at: number
  readonly bytes: Uint8Array
}

const damage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom("cut", "cut", "flip", "flip", "insert", "insert", "empty", "folder"),
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 20 }),
})

/** False when the file is as it was. */
const spoil = (file: string, { kind, at, bytes }: Damage): boolean => {
  const before = readFileSync(file)
  const from = Math.floor(at * before.length)
  const write = (...parts: Uint8Array[]): boolean => {
    writeFileSync(file, Buffer.concat(parts))
    return !before.equals(readFileSync(file))
  }
  switch (kind) {
    case "cut":
      return write(before.subarray(0, from))
    case "flip":
      return write(before.map((byte, i) => byte ^ (bytes[i - from] ?? 0)))
    case "insert":
      return write(before.subarray(0, from), bytes, before.subarray(from))
    case "empty":
      return write()
    case "folder":
      rmSync(file)
      mkdirSync(file)
      return true
  }
}

it.live(
  "S28 a state folder with one damaged file",
  () =>
    Effect.gen(function* () {
      const parent = yield* scratch
      const whole = join(parent, "whole")
      yield* fill(whole)
      const names = files(whole)
      assert.isAbove(names.length, 4, names.join())
      const run = Effect.runPromiseWith(yield* Effect.context())
      let runs = 0
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(fc.constantFrom(...names), damage, async (name, how) => {
            const folder = join(parent, `run${runs++}`)
            cpSync(whole, folder, { recursive: true })
            const isSpoilt = spoil(join(folder, name), how)
            const { values, kept, trouble, damaged } = await run(readAll(folder))
            for (const [i, value] of values.entries()) assert.include(["0", `${5 + i}`], value)
            const missing = kept.filter(([what, count]) => count < { variables: 3, snapshots: 1, history: 4, crashes: 1 }[what])
            if (missing.length > 0) {
              assert.isTrue(isSpoilt, `${name}: ${JSON.stringify(missing)}`)
              assert.isAbove(trouble.length + damaged, 0, `${name} ${how.kind}: nothing told of ${JSON.stringify(missing)}`)
            }
            assert.deepStrictEqual((await run(readAll(folder))).trouble, [], "told again by the next server")
            rmSync(folder, { recursive: true })
          }),
          { ...tries(40), examples: [["lock", { kind: "folder", at: 0, bytes: Uint8Array.of(0) }]] },
        ),
      )
    }),
  60_000,
)

/**
 * S28 forged fields in stored files, under correct checksums: the server starts, works, names the files that it set aside, and
 * touches nothing outside of its folder. (Damaged bytes: `state.test.ts`.)
 */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as fc from "fast-check"
import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Sessions } from "../../src/session/Sessions.ts"
import { crc32 } from "../../src/crc32.ts"
import { someDefinition } from "../lib/documents.ts"
import { Script } from "../lib/scriptedChild.ts"
import { scripted } from "../lib/sessionLayers.ts"
import { scratch } from "../lib/stateFolder.ts"
import { tries } from "./scale.ts"

const server = <A, E>(stateDir: string, body: (sessions: Sessions["Service"]) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Sessions, body).pipe(
    Effect.provide([scripted(new Script(), { stateDir, engine: "embedded", evalTimeout: 5000 }), Logger.layer([])]),
  )

const fill = (folder: string) =>
  server(folder, (sessions) =>
    Effect.gen(function* () {
      const session = yield* sessions.get("main")
      yield* session.evaluate({ code: "x: 5" })
      yield* session.persist
      yield* session.snapshots.save("s")
      yield* sessions.definitions.add(someDefinition)
      yield* Effect.flip(session.evaluate({ code: "exit 7" }))
      yield* session.evaluate({ code: "print 1" })
    }),
  )

/** All reading calls, and the calls that change the folder most. */
const use = (folder: string) =>
  server(folder, (sessions) =>
    Effect.gen(function* () {
      const session = yield* sessions.get("main")
      yield* session.evaluate({ code: "x" })
      yield* session.snapshots.list
      const history = yield* sessions.history.of("main")
      yield* history.page({ limit: 100 })
      yield* sessions.crashes.all
      const defined = (yield* sessions.definitions.all).map(({ name }) => name)
      for (const name of [...defined, someDefinition.name, "../../victim"]) yield* sessions.definitions.remove(name)
      const { stored, trouble } = yield* sessions.disk
      for (const { name } of [...stored, { name: "main" }]) yield* Effect.ignore(sessions.close(name))
      yield* (yield* sessions.get("main")).evaluate({ code: "1" })
      return { defined, trouble }
    }),
  )

const treeOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const path = join(folder, name)
      const found = lstatSync(path)
      return `${name} ${found.isSymbolicLink() ? readlinkSync(path) : found.isFile() ? readFileSync(path, "latin1") : ""}`
    })

/** Values that no field was meant to have. */
const hostile = fc.oneof(
  fc.constantFrom<unknown>(
    "../../../victim",
    "x/../../../victim",
    "/etc/passwd",
    "..",
    ".",
    "",
    "con",
    "a\0b",
    "\n\\rm -rf /",
    "\x1b[2J",
    "__proto__",
    "x".repeat(70_000),
    0,
    -1,
    0.5,
    1e308,
    -1e308,
    2 ** 53,
    null,
    true,
    [],
    {},
    [[]],
    { length: 1e9 },
    "k3csharp",
    "embedded",
  ),
  fc.anything({ maxDepth: 2 }).filter((value) => JSON.stringify(value) !== undefined),
)

/** A file with one field of one of its lines changed, as its own checksum says. */
const change = (text: string, line: number, field: number, value: unknown): string => {
  const isSealed = text.startsWith("k3-mcp ")
  const lines = text.split("\n")
  const content = isSealed ? lines.slice(1, -2) : lines.slice(0, -1)
  const at = line % Math.max(1, content.length)
  const parsed = JSON.parse(content[at] ?? "{}") as unknown
  const fields = typeof parsed === "object" && parsed !== null ? Object.keys(parsed) : []
  const key = fields[field % Math.max(1, fields.length)]
  content[at] = JSON.stringify(key === undefined ? value : { ...(parsed as object), [key]: value }) ?? "null"
  if (!isSealed) return `${content.join("\n")}\n`
  const sealed = `${[lines[0], ...content].join("\n")}\n`
  return `${sealed}end ${crc32(Buffer.from(sealed)).toString(16).padStart(8, "0")}\n`
}

it.live(
  "S28 a state folder with a field of one of its files changed, or a file by another name, or a link",
  () =>
    Effect.gen(function* () {
      const parent = yield* scratch
      const whole = join(parent, "whole")
      yield* fill(whole)
      const names = readdirSync(whole, { recursive: true, encoding: "utf8" })
        .filter((path) => lstatSync(join(whole, path)).isFile() && path !== "lock")
        .sort()
      assert.isAtLeast(names.length, 6, names.join())
      const run = Effect.runPromiseWith(yield* Effect.context())
      let runs = 0
      const how = fc.oneof(
        { weight: 8, arbitrary: fc.record({ kind: fc.constant("field" as const), line: fc.nat(50), field: fc.nat(20), value: hostile }) },
        {
          weight: 1,
          arbitrary: fc.record({
            kind: fc.constant("copy" as const),
            as: fc.constantFrom("kf_other", "s%2f", "99", "values.9", "state", "7.log"),
          }),
        },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant("link" as const) }) },
      )
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(fc.constantFrom(...names), how, async (name, given) => {
            const home = join(parent, `run${runs++}`)
            const state = join(home, "a/state")
            mkdirSync(join(home, "victim"), { recursive: true })
            writeFileSync(join(home, "victim/precious"), "mine")
            cpSync(whole, state, { recursive: true })
            const file = join(state, name)
            if (given.kind === "field") writeFileSync(file, change(readFileSync(file, "utf8"), given.line, given.field, given.value))
            if (given.kind === "copy" && !name.endsWith(`/${given.as}`)) cpSync(file, join(file, "..", given.as))
            if (given.kind === "link") {
              rmSync(file)
              symlinkSync(join(home, "victim/precious"), file)
            }
            const { defined } = await run(use(state))
            assert.deepStrictEqual(
              defined.filter((each) => each !== someDefinition.name),
              [],
            )
            assert.deepStrictEqual(treeOf(join(home, "victim")), ["precious mine"])
            assert.deepStrictEqual(readdirSync(home).sort(), ["a", "victim"])
            assert.deepStrictEqual(readdirSync(join(home, "a")), ["state"])
            // Files that one server set aside, or left, do not disturb the next.
            assert.deepStrictEqual((await run(use(state))).trouble, [])
            rmSync(home, { recursive: true })
          }),
          tries(20),
        ),
      )
    }),
  120_000,
)

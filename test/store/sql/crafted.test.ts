/** Rows that are damaged, of a later version or made by a stranger: set aside as they are and told, never written over. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { empty } from "../../../src/child/Contents.ts"
import { sealed } from "../../../src/store/sealed.ts"
import { Store } from "../../../src/store/Store.ts"
import { Holder, imagesOf, variable } from "../../lib/holder.ts"
import { isInstalled, orSkipped } from "../../lib/postgres.ts"
import { asMachine, withPostgres } from "../../lib/sqlStore.ts"

const postgres = withPostgres()
let spaces = 0
const run = (sql: string) => Effect.promise(() => postgres().run(sql))
const stored = Store.use((store) => store.workspace("main", "/here"))
const takeTrouble = Store.use((store) => Effect.sync(() => store.takeTrouble().join("\n")))

/** As an expression of SQL. */
const bytes = (kind: string, ...lines: readonly string[]): string =>
  `'\\x${Buffer.concat([...sealed({ kind, version: 1 }, lines)]).toString("hex")}'::bytea`
const state = (given: object) =>
  bytes(
    "session",
    JSON.stringify({ session: "main", cwd: "/", savedAt: 1, variables: 1, next: 2, segments: [{ number: 1, bytes: 1 }], ...given }),
  )
const values = (given: object) => bytes("values", JSON.stringify({ path: ".k.a", type: 1, shape: "", bytes: 1, text: "1", ...given }))
const later = "convert_to(replace(convert_from(content, 'UTF8'), ' 1\n', ' 2\n'), 'UTF8')"

const sessions: readonly (readonly [what: string, kind: "state" | "values", content: string | undefined, said: RegExp])[] = [
  ["a changed byte in the state", "state", "set_byte(content, 40, 0)", /checksum is wrong/],
  ["a state cut short", "state", "substr(content, 1, 60)", /is cut short/],
  ["no state at all", "state", "''", /does not begin as it should/],
  ["a state of a later version", "state", later, /was written by a later k3-mcp \(version 2/],
  ["a state that is no JSON", "state", bytes("session", "{"), /state does not read as it should/],
  ["another session's state", "state", state({ session: "other" }), /state does not read as it should/],
  ["one segment twice", "state", state({ segments: [1, 1].map((number) => ({ number, bytes: 1 })) }), /state does not read/],
  ["a segment that is not there", "state", state({ next: 8, segments: [{ number: 7, bytes: 1 }] }), /lacks a part of session main/],
  ["a changed byte in the values", "values", "set_byte(content, 40, 0)", /lacks a part of session main/],
  ["values that are gone", "values", undefined, /lacks a part of session main/],
  ["a variable whose path is two lines", "values", values({ path: ".k.a:1\n.k.b" }), /values do not read as they should/],
  ["an image that is no text", "values", values({ image: {} }), /values do not read as they should/],
]

describe.skipIf(!isInstalled)(`what a stranger wrote into the database${orSkipped}`, () => {
  it.live.each(sessions)(
    "O10 %s is set aside with all that goes with it, as it is, and the session begins anew",
    ([, kind, content, said]) =>
      Effect.gen(function* () {
        const space = `crafted ${spaces++}`
        const server = asMachine({ url: postgres().url, space })
        yield* server(Effect.flatMap(stored, (kept) => kept.persist(new Holder().set("a", "first"))))
        const those = `WHERE space = '${space}' AND kind = '${kind}'`
        yield* run(content === undefined ? `DELETE FROM k3_contents ${those}` : `UPDATE k3_contents SET content = ${content} ${those}`)
        const rows = (aside: string) =>
          run(`SELECT kind, name, version, md5(content) FROM k3_contents WHERE space = '${space}' AND aside ${aside} ORDER BY 1, 2`)
        const before = yield* rows("= 0")
        yield* Effect.gen(function* () {
          const kept = yield* stored
          assert.isUndefined(yield* kept.load("embedded"))
          const sentence = yield* takeTrouble
          assert.match(sentence, said)
          const number = /^Session main \(embedded\) .* It was put aside as number (\d+) of k3_asides\.$/.exec(sentence)![1]
          assert.strictEqual(yield* rows(`= ${number}`), before)
          assert.match(yield* run(`SELECT why FROM k3_asides WHERE aside = ${number}`), said)
          assert.deepStrictEqual(yield* Store.use((store) => store.sessions), [])
          assert.isTrue(yield* kept.persist(new Holder().set("a", "second")))
        }).pipe(server)
        const back = yield* server(Effect.flatMap(stored, (kept) => kept.load("embedded")))
        assert.deepStrictEqual(imagesOf(back!.held.variables), { a: "second" })
        assert.strictEqual(yield* rows("> 0"), before)
      }),
  )

  it.live("O10 snapshots and documents that cannot be used are set aside one by one, and the others come back", () =>
    Effect.gen(function* () {
      const space = `crafted ${spaces++}`
      const server = asMachine({ url: postgres().url, space })
      const snapshot = (name: string) => ({
        ...({ name, at: 1, generation: 1, engine: "embedded", build: null, settings: undefined } as const),
        variables: new Map([[".k.a", variable("a", "1")]]),
      })
      yield* Effect.gen(function* () {
        const {
          snapshots,
          documents: { definitions },
        } = yield* Store
        for (const name of ["a", "b", "c", "d", "good"]) {
          assert.isTrue(yield* snapshots("main").save(snapshot(name)))
          assert.isTrue(yield* definitions.save(name, ["one"]))
        }
      }).pipe(server)
      const crafted = {
        a: "set_byte(content, 20, 0)",
        b: later,
        c: bytes("snapshot", "{}"),
        d: "(SELECT content FROM k3_contents AS it WHERE it.space = k3_contents.space AND it.kind = k3_contents.kind AND it.name = 'good')",
      }
      for (const [name, content] of Object.entries(crafted))
        yield* run(`UPDATE k3_contents SET content = ${content} WHERE space = '${space}' AND name = '${name}'`)
      yield* Effect.gen(function* () {
        const {
          snapshots,
          documents: { definitions },
        } = yield* Store
        const kept = yield* snapshots("main").load(empty)
        assert.deepStrictEqual(
          kept.map(({ name }) => name),
          ["good"],
        )
        assert.strictEqual((yield* takeTrouble).match(/Snapshot \w of session main .*It was put aside/g)?.length, 4)
        // A document that holds another's lines is judged by who knows what they mean.
        for (const name of ["a", "b", "c"]) assert.isUndefined(yield* definitions.load(name))
        assert.strictEqual((yield* takeTrouble).match(/Definition \w .*It was put aside/g)?.length, 3)
        assert.deepStrictEqual(yield* definitions.keys, ["d", "good"])
        assert.isTrue(yield* snapshots("main").save(snapshot("a")))
        assert.isTrue(yield* definitions.save("a", ["two"]))
      }).pipe(server)
      assert.strictEqual(yield* run(`SELECT count(*) FROM k3_contents WHERE space = '${space}' AND aside > 0`), "7")
    }),
  )

  it.live("O2 rows that somebody removes while the session is used are written once more", () =>
    Effect.gen(function* () {
      const space = `crafted ${spaces++}`
      const server = asMachine({ url: postgres().url, space })
      const holder = new Holder().set("a", "x".repeat(10_000))
      yield* Effect.gen(function* () {
        const kept = yield* stored
        assert.isTrue(yield* kept.persist(holder))
        yield* run(`DELETE FROM k3_contents WHERE space = '${space}' AND kind = 'values'`)
        assert.isTrue(yield* kept.persist(holder.set("b", "small")))
      }).pipe(server)
      const back = yield* server(Effect.flatMap(stored, (kept) => kept.load("embedded")))
      assert.deepStrictEqual(imagesOf(back!.held.variables), holder.images)
    }),
  )

  it.live("O10 spaces do not see each other, whatever they are called", () =>
    Effect.gen(function* () {
      const named = ["'; DROP TABLE k3_contents; --", "%", "_", "a b", "A b", "é😀", "0"]
      for (const space of named)
        yield* Effect.gen(function* () {
          assert.deepStrictEqual(yield* Store.use((store) => store.sessions), [])
          assert.isTrue(yield* Effect.flatMap(stored, (kept) => kept.persist(new Holder().set("a", space))))
          assert.isTrue(yield* Store.use(({ documents }) => documents.definitions.save("mean", [space])))
        }).pipe(asMachine({ url: postgres().url, space }))
      for (const space of named)
        yield* Effect.gen(function* () {
          const back = yield* Effect.flatMap(stored, (kept) => kept.load("embedded"))
          assert.deepStrictEqual(imagesOf(back!.held.variables), { a: space })
          assert.deepStrictEqual(yield* Store.use(({ documents }) => documents.definitions.load("mean")), [space])
        }).pipe(asMachine({ url: postgres().url, space }))
    }),
  )
})

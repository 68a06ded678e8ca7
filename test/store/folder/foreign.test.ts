/** G10 the state folder and foreign files: files of the user, links, files of a stranger or of a later version. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { execFileSync } from "node:child_process"
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isSound } from "../../../src/define/definition.ts"
import { Definitions } from "../../../src/session/Definitions.ts"
import { crc32 } from "../../../src/crc32.ts"
import { StateFolder } from "../../../src/store/folder/StateFolder.ts"
import { Store } from "../../../src/store/Store.ts"
import { someDefinition } from "../../lib/documents.ts"
import { Faults } from "../../lib/faultyFileSystem.ts"
import { Holder, imagesOf } from "../../lib/holder.ts"
import { asServer, scratch } from "../../lib/stateFolder.ts"

const sealed = (head: string, ...lines: readonly string[]): string => {
  const text = [`k3-mcp ${head}`, ...lines, ""].join("\n")
  return `${text}end ${crc32(Buffer.from(text)).toString(16).padStart(8, "0")}\n`
}

const plant = (dir: string, path: string, text: string): void => {
  mkdirSync(join(dir, path, ".."), { recursive: true, mode: 0o700 })
  writeFileSync(join(dir, path), text)
}

const stored = Store.use((store) => store.workspace("main", "/here"))
const takeTrouble = Store.use((store) => Effect.sync(() => store.takeTrouble()))

describe("foreign files", () => {
  it.effect("drafts of other programs, folders and links stay; only this program's drafts are removed, and only in its own folders", () =>
    Effect.gen(function* () {
      const dir = yield* scratch
      const elsewhere = yield* scratch
      const kept = [
        "keep.tmp",
        "a.1.k3-draft",
        "build.tmp/x",
        "notes/state.1.k3-draft",
        "sessions/main/keep.tmp",
        "sessions/b.1.k3-draft/x",
      ]
      for (const path of kept) plant(dir, path, "mine")
      plant(elsewhere, "state.1.k3-draft", "not yours")
      for (const [path, to] of [
        ["linked", elsewhere],
        ["crashes", elsewhere],
        ["sessions/away", elsewhere],
        ["definitions/kf_x.1.k3-draft", join(elsewhere, "state.1.k3-draft")],
      ] as const) {
        mkdirSync(join(dir, path, ".."), { recursive: true })
        symlinkSync(to, join(dir, path))
      }
      plant(dir, "sessions/main/embedded/state.7.k3-draft", "half")
      plant(dir, "subscriptions/0a.7.k3-draft", "half")
      yield* Effect.gen(function* () {
        assert.isTrue(yield* Store.use((store) => store.available))
        const said = (yield* takeTrouble).join("\n")
        for (const link of ["crashes", "sessions/away", "definitions/kf_x.1.k3-draft"]) assert.include(said, `${join(dir, link)} is a link`)
        yield* StateFolder.use((folder) => folder.save("crashes/1", { kind: "crash", version: 1 }, ["x"]))
      }).pipe(asServer(dir))
      for (const path of kept) assert.strictEqual(readFileSync(join(dir, path), "utf8"), "mine", path)
      for (const own of ["sessions/main/embedded", "subscriptions"]) assert.deepStrictEqual(readdirSync(join(dir, own)), [], own)
      assert.deepStrictEqual(readdirSync(elsewhere), ["state.1.k3-draft"])
      assert.isTrue(lstatSync(join(dir, "linked")).isSymbolicLink())
    }),
  )

  it.effect.skipIf(process.platform === "win32")(
    "a pipe in place of a file is set aside before it is read, which would take for ever",
    () =>
      Effect.gen(function* () {
        const dir = yield* scratch
        const pipes = ["sessions/main/embedded/state", "sessions/main/history/1.log", "definitions/kf_x"]
        for (const path of pipes) {
          mkdirSync(join(dir, path, ".."), { recursive: true, mode: 0o700 })
          execFileSync("mkfifo", [join(dir, path)])
        }
        yield* Effect.gen(function* () {
          const store = yield* Store
          assert.deepStrictEqual(yield* store.sessions, [])
          assert.deepStrictEqual(yield* store.history("main").segments, [])
          const said = (yield* takeTrouble).join("\n")
          for (const path of pipes) assert.include(said, `${join(dir, path)} is neither a file nor a folder. It was put aside as`)
        }).pipe(asServer(dir))
      }),
  )

  it.effect("a definition has the name of its file and keeps the rules of definitions, or is set aside", () =>
    Effect.gen(function* () {
      const parent = yield* scratch
      const dir = join(parent, "state")
      plant(parent, "victim/precious", "mine")
      const definition = (given: object): string => JSON.stringify({ ...someDefinition, name: "abc", version: 1, at: 1, ...given })
      const hostile: Record<string, object> = {
        abc: { name: "x/../../../victim" },
        other: { name: "abc" },
        long: { name: "long", description: "d".repeat(10_000) },
        code: { name: "code", code: "{x};\\rm" },
        type: { name: "type", parameters: [{ name: "x", type: "secret" }] },
        session: { name: "session", session: "../../victim" },
        deadline: { name: "deadline", timeoutMs: -1 },
        version: { name: "version", version: 1e300 },
      }
      for (const [name, fields] of Object.entries(hostile)) plant(dir, `definitions/kf_${name}`, sealed("definition 1", definition(fields)))
      plant(dir, "definitions/kf_good", sealed("definition 1", definition({ name: "good" })))
      yield* Effect.gen(function* () {
        const definitions = yield* Definitions
        assert.deepStrictEqual(
          (yield* definitions.all).map(({ name }) => name),
          ["good"],
        )
        assert.strictEqual((yield* takeTrouble).length, Object.keys(hostile).length)
        for (const name of ["x/../../../victim", "../victim", "abc", ".."]) yield* definitions.remove(name)
      }).pipe(Effect.provide(Definitions.layer(isSound)), asServer(dir))
      assert.strictEqual(readFileSync(join(parent, "victim/precious"), "utf8"), "mine")
    }),
  )

  it.effect("no path leads out of the folder, for any operation", () =>
    Effect.gen(function* () {
      const parent = yield* scratch
      const dir = join(parent, "state")
      plant(parent, "victim", "mine")
      yield* Effect.gen(function* () {
        const folder = yield* StateFolder
        for (const path of [
          "../victim",
          "sessions/../../victim",
          "/victim",
          `${parent}/victim`,
          "sessions//x",
          "a\\b",
          "a\0b",
          "..",
          ".",
        ]) {
          assert.isFalse(yield* folder.save(path, { kind: "x", version: 1 }, ["bad"]), path)
          assert.isFalse(yield* folder.append(path, ["bad"]), path)
          assert.isFalse(yield* folder.remove(path), path)
          assert.isUndefined(yield* folder.read(path), path)
          assert.deepStrictEqual(yield* folder.list(path), [], path)
          assert.isFalse(yield* folder.exists(path), path)
          yield* folder.setAside(path, "is bad")
        }
      }).pipe(asServer(dir))
      assert.deepStrictEqual([readdirSync(parent).sort(), readFileSync(join(parent, "victim"), "utf8")], [["state", "victim"], "mine"])
    }),
  )

  const session = (state: object) =>
    sealed(
      "session 1",
      JSON.stringify({ session: "main", cwd: "/", savedAt: 1, variables: 1, next: 2, segments: [{ number: 1, bytes: 1 }], ...state }),
    )
  const variable = { path: ".k.a", type: 1, shape: "", bytes: 1, text: "1", image: "AAAA" }
  const hostileStates: readonly (readonly [what: string, state: object, values?: object])[] = [
    ["another session's name", { session: "other" }],
    ["a name that leads out", { session: "../../victim" }],
    ["a name of any length", { session: "m".repeat(1_000_000) }],
    ["a segment that is no number", { segments: [{ number: 1.5, bytes: 1 }] }],
    ["a segment below nothing", { segments: [{ number: -1, bytes: 1 }] }],
    ["the next number used up", { next: 1 }],
    ["one segment twice", { segments: [1, 1].map((number) => ({ number, bytes: 1 })) }],
    ["a folder that is two commands", { workspace: { precision: 7, seed: 1, directory: ".k", folder: "/\n\\rm" } }],
    ["a variable whose path is two lines", {}, { ...variable, path: ".k.a:1\n.k.b" }],
    ["a variable without a path", {}, { ...variable, path: "a" }],
    ["an image that is no text", {}, { ...variable, image: { length: 1 } }],
    ["pieces without end", {}, { ...variable, pieces: 1e9 }],
    ["no object", {}, []],
  ]
  it.effect.each(hostileStates)("a session with %s is set aside, valid checksum or not", ([, state, values = variable]) =>
    Effect.gen(function* () {
      const dir = yield* scratch
      plant(dir, "sessions/main/embedded/state", session(state))
      plant(dir, "sessions/main/embedded/values.1", sealed("values 1", JSON.stringify(values)))
      yield* Effect.gen(function* () {
        const store = yield* Store
        yield* store.sessions
        const workspace = yield* store.workspace("main", "/")
        assert.isUndefined(yield* workspace.load("embedded"))
        assert.deepStrictEqual(yield* store.sessions, [])
        assert.match((yield* takeTrouble).join(), /put aside as embedded\.damaged-/)
      }).pipe(asServer(dir))
      assert.deepStrictEqual(readdirSync(dir).sort(), ["lock", "sessions"])
    }),
  )

  it.effect("of very many damaged sessions, twenty are named and the others counted; a look at one session reads no other", () =>
    Effect.gen(function* () {
      const dir = yield* scratch
      for (let n = 1; n <= 25; n++) plant(dir, `sessions/a${n}/embedded/state`, "damaged")
      yield* Effect.gen(function* () {
        const store = yield* Store
        assert.deepStrictEqual(yield* store.session("a7"), [])
        assert.match((yield* takeTrouble).join(), /^\S+a7\/embedded cannot be used/)
        assert.deepStrictEqual(yield* store.sessions, [])
        const said = [yield* takeTrouble, yield* store.trouble]
        assert.deepStrictEqual(
          said.map((each) => [each.length, each.at(-1)]),
          [4, 5].map((more) => [21, `The log has ${more} more problems with what is stored.`]),
        )
      }).pipe(asServer(dir))
    }),
  )

  it.effect("a file of a later version is never overwritten, even when it cannot be set aside", () =>
    Effect.gen(function* () {
      const dir = yield* scratch
      const state = session({}).replace("session 1", "session 2")
      plant(dir, "sessions/main/embedded/state", state)
      plant(dir, "sessions/main/embedded/values.1", "k3-mcp values 2\n")
      const faults = new Faults()
      faults.failing.set(`rename ${join(dir, "sessions/main/embedded")}`, "EACCES")
      yield* Effect.gen(function* () {
        const store = yield* Store
        const workspace = yield* store.workspace("main", "/")
        assert.isUndefined(yield* workspace.load("embedded"))
        const held = { variables: new Map([[".k.a", variable]]), settings: undefined, bytes: 4 }
        const source = { engine: "embedded" as const, takeUnsaved: () => ({ held, changed: new Set([".k.a"]) }), stillUnsaved: () => {} }
        assert.isFalse(yield* workspace.persist(source))
        assert.isFalse(yield* workspace.forget)
        assert.match((yield* takeTrouble).join("|"), /later k3-mcp.*cannot be put aside \(permission denied\)\. Nothing is written over it/)
        assert.strictEqual(readFileSync(join(dir, "sessions/main/embedded/state"), "utf8"), state)
        assert.deepStrictEqual(readdirSync(join(dir, "sessions/main/embedded")), ["state", "values.1"])
        faults.failing.clear()
        assert.isTrue(yield* workspace.persist(source))
        assert.isTrue(readdirSync(join(dir, "sessions/main")).some((name) => name.startsWith("embedded.damaged-")))
      }).pipe(asServer(dir, faults))
    }),
  )

  it.effect("a file that cannot be read for the moment is neither set aside nor overwritten", () =>
    Effect.gen(function* () {
      const dir = yield* scratch
      const form = { kind: "x", version: 1 }
      yield* asServer(dir)(StateFolder.use((folder) => folder.save("a", form, ["old"])))
      const faults = new Faults()
      yield* Effect.gen(function* () {
        const folder = yield* StateFolder
        yield* folder.available
        faults.failing.set("readFile", "EMFILE")
        assert.isUndefined(yield* folder.load("a", form))
        assert.isFalse(yield* folder.save("a", form, ["new"]))
        assert.match((yield* takeTrouble).join(), /cannot be read \(too many files are open\)/)
        faults.failing.clear()
        assert.deepStrictEqual(yield* folder.load("a", form), ["old"])
        assert.isTrue(yield* folder.save("a", form, ["new"]))
      }).pipe(asServer(dir, faults))
    }),
  )

  it.effect("a session that could not be read when it began is put aside before it is written", () =>
    Effect.gen(function* () {
      for (const unread of ["readFile", "readFile values.1", "stat"]) {
        const dir = yield* scratch
        const folder = join(dir, "sessions/main/embedded")
        yield* asServer(dir)(
          Effect.flatMap(stored, ({ persist }) => Effect.map(persist(new Holder().set("a", "first")), (done) => assert.isTrue(done))),
        )
        const before = readFileSync(join(folder, "values.1"), "utf8")
        const faults = new Faults()
        yield* Effect.gen(function* () {
          const { available, history } = yield* Store
          const workspace = yield* stored
          yield* available
          // The folder is opened anew when its lock is gone.
          if (unread === "stat") rmSync(join(dir, "lock"))
          faults.failing.set(unread.replace("values.1", join(folder, "values.1")), "EMFILE")
          yield* history("other").append(1, ["{}"])
          assert.isUndefined(yield* workspace.load("embedded"))
          faults.failing.clear()
          yield* TestClock.adjust("1 second")
          assert.isTrue(yield* workspace.persist(new Holder().set("a", "later")))
          assert.deepStrictEqual(imagesOf((yield* (yield* stored).load("embedded"))!.held.variables), { a: "later" })
          assert.match(
            (yield* takeTrouble).join("|"),
            /embedded could not be read when its session began\. It was put aside as embedded\.damaged-/,
          )
        }).pipe(asServer(dir, faults))
        const aside = readdirSync(join(dir, "sessions/main")).find((name) => name.startsWith("embedded.damaged-"))
        assert.strictEqual(readFileSync(join(dir, "sessions/main", aside!, "values.1"), "utf8"), before, unread)
      }
    }),
  )

  it.effect("files damaged in the same second are set aside under different names", () =>
    Effect.gen(function* () {
      const dir = yield* scratch
      yield* Effect.gen(function* () {
        const folder = yield* StateFolder
        for (const text of ["1", "2", "3"]) {
          yield* folder.available
          writeFileSync(join(dir, "a"), text)
          assert.isUndefined(yield* folder.load("a", { kind: "x", version: 1 }))
        }
      }).pipe(asServer(dir))
      const asides = readdirSync(dir).filter((name) => name.startsWith("a.damaged"))
      assert.deepStrictEqual(asides.map((name) => readFileSync(join(dir, name), "utf8")).sort(), ["1", "2", "3"])
    }),
  )
})

describe("a history", () => {
  it.effect("keeps an entry that lost only its line end, and drops one that was cut short", () =>
    Effect.gen(function* () {
      const dir = yield* scratch
      const file = join(dir, "sessions/main/history/1.log")
      const append = (line: string) => asServer(dir)(Store.use((store) => store.history("main").append(1, [line])))
      yield* append('{"n":1}')
      yield* append('{"n":2}')
      writeFileSync(file, readFileSync(file, "utf8").trimEnd())
      yield* append('{"n":3}')
      assert.strictEqual(readFileSync(file, "utf8"), '{"n":1}\n{"n":2}\n{"n":3}\n')
      writeFileSync(file, readFileSync(file, "utf8").slice(0, -2))
      yield* append('{"n":4}')
      assert.strictEqual(readFileSync(file, "utf8"), '{"n":1}\n{"n":2}\n{"n":4}\n')
      assert.isFalse(existsSync(`${file}.tmp`))
    }),
  )
})

it.effect("a state folder that is a link works in its target", () =>
  Effect.gen(function* () {
    const parent = yield* scratch
    mkdirSync(join(parent, "real"), { mode: 0o700 })
    symlinkSync("real", join(parent, "state"))
    const save = StateFolder.use((folder) => folder.save("sessions/a", { kind: "x", version: 1 }, []))
    assert.isTrue(yield* asServer(join(parent, "state"))(save))
    renameSync(join(parent, "real"), join(parent, "moved"))
    assert.isTrue(existsSync(join(parent, "moved/sessions/a")))
  }),
)

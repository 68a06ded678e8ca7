import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { StateFolder } from "../../../src/store/folder/StateFolder.ts"
import { Faults } from "../../lib/faultyFileSystem.ts"
import { asServer, scratch } from "../../lib/stateFolder.ts"
import { until } from "../../lib/waiting.ts"

const form = { kind: "things", version: 2 }
const save = (path: string, ...lines: readonly string[]) => StateFolder.use((folder) => folder.save(path, form, lines))
const load = (path: string) => StateFolder.use((folder) => folder.load(path, form))
const append = (path: string, ...lines: readonly string[]) => StateFolder.use((folder) => folder.append(path, lines))
const trouble = StateFolder.use((folder) => folder.trouble)
const takeTrouble = StateFolder.use((folder) => Effect.sync(folder.takeTrouble))

describe("the state folder", () => {
  it.effect("loads saved lines, in the next server too, and nothing for a missing file", () =>
    Effect.gen(function* () {
      const dir = yield* scratch
      const lines = ["", "a", "ä€😀", "\uFEFFx", "y".repeat(1_000_000), ""]
      assert.isTrue(yield* asServer(dir)(save("a/b/c", ...lines)))
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* load("a/b/c"), lines)
        assert.isUndefined(yield* load("a/b/d"))
        assert.isTrue(yield* save("a/b/c"))
        assert.deepStrictEqual(yield* load("a/b/c"), [])
        assert.deepStrictEqual(yield* trouble, [])
      }).pipe(asServer(dir))
    }),
  )

  it.effect("makes files and folders for their owner only", () =>
    Effect.gen(function* () {
      const dir = join(yield* scratch, "state")
      yield* asServer(dir)(Effect.andThen(save("a/b", "x"), append("a/log", "y")))
      assert.deepStrictEqual(
        [dir, join(dir, "a"), join(dir, "a/b"), join(dir, "a/log")].map((path) => statSync(path).mode & 0o777),
        [0o700, 0o700, 0o600, 0o600],
      )
    }),
  )

  it.effect("is made at the first write, and not by an unused server", () =>
    Effect.gen(function* () {
      const dir = join(yield* scratch, "state")
      yield* asServer(dir)(trouble)
      assert.isFalse(existsSync(dir))
    }),
  )

  it.effect.skipIf(process.platform !== "linux")("reports at once that it cannot be made when the system denies an existing folder", () =>
    Effect.gen(function* () {
      const dir = "/proc/k3-mcp/state"
      yield* Effect.gen(function* () {
        assert.isFalse(yield* save("a", "x"))
        assert.deepStrictEqual(yield* trouble, [`The state folder ${dir} cannot be used (ENOENT): nothing is kept on disk.`])
      }).pipe(asServer(dir))
    }),
  )

  it.effect("writes in an order that survives a loss of power: content, flush, rename, flush of the folder", () =>
    Effect.gen(function* () {
      const dir = yield* scratch
      const faults = new Faults()
      yield* asServer(dir, faults)(save("a", "x"))
      const last = faults.calls.slice(-6).map((call) => call.replace(dir, "").replace(/\.\d+\.k3-draft/, ".draft"))
      assert.deepStrictEqual(last, ["write", "write", "sync", "rename /a.draft", "open ", "sync"])
    }),
  )

  it.effect("S27 has the old content or the new one, whichever call the server ended at", () =>
    Effect.gen(function* () {
      const seen = new Set<string>()
      for (const torn of [false, true])
        for (let calls = 0; ; calls++) {
          const dir = yield* scratch
          yield* asServer(dir)(save("sessions/a", "old"))
          const faults = new Faults()
          faults.left = calls
          faults.torn = torn
          const done = yield* asServer(dir, faults)(save("sessions/a", "new"))
          const found = yield* asServer(dir)(load("sessions/a"))
          assert.include(["old", "new"], found?.join())
          if (done) assert.deepStrictEqual(found, ["new"])
          seen.add(found![0]!)
          assert.deepStrictEqual(readdirSync(join(dir, "sessions")), ["a"])
          if (done) break
        }
      assert.strictEqual(seen.size, 2)
    }),
  )

  describe("logs", () => {
    it.effect("grow by whole lines, and lose an end without a line end", () =>
      Effect.gen(function* () {
        const dir = yield* scratch
        const read = () => readFileSync(join(dir, "log"), "utf8")
        yield* asServer(dir)(Effect.andThen(append("log", "1", "2"), append("log", "3")))
        assert.strictEqual(read(), "1\n2\n3\n")
        appendFileSync(join(dir, "log"), "half".repeat(50_000))
        yield* asServer(dir)(append("log", "4"))
        assert.strictEqual(read(), "1\n2\n3\n4\n")
        writeFileSync(join(dir, "log"), "no line")
        yield* asServer(dir)(append("log", "5"))
        assert.strictEqual(read(), "5\n")
      }),
    )

    it.effect("lose no earlier line, whichever call the server ended at", () =>
      Effect.gen(function* () {
        for (let calls = 0, done = false; !done; calls++) {
          const dir = yield* scratch
          yield* asServer(dir)(append("log", "1"))
          const faults = new Faults()
          faults.left = calls
          faults.torn = true
          done = yield* asServer(dir, faults)(append("log", "2"))
          yield* asServer(dir)(append("log", "3"))
          assert.include(["1\n3\n", "1\n2\n3\n"], readFileSync(join(dir, "log"), "utf8"))
        }
      }),
    )

    it.effect("are listed even when another file disappears meanwhile", () =>
      Effect.gen(function* () {
        const dir = yield* scratch
        yield* asServer(dir)(save("a/b", "x"))
        symlinkSync("nowhere", join(dir, "a", "gone"))
        const items = yield* asServer(dir)(StateFolder.use((folder) => folder.list("a")))
        assert.deepStrictEqual(
          items.map(({ name }) => name),
          ["b"],
        )
      }),
    )

    it.effect("S30 partly written lines are removed before they are added again", () =>
      Effect.gen(function* () {
        const dir = yield* scratch
        yield* asServer(dir)(append("log", "1"))
        const faults = new Faults()
        yield* asServer(
          dir,
          faults,
        )(
          Effect.gen(function* () {
            faults.failing.set("sync", "ENOSPC")
            assert.isFalse(yield* append("log", "2", "3"))
            faults.failing.clear()
            assert.isTrue(yield* append("log", "2", "3", "4"))
          }),
        )
        assert.strictEqual(readFileSync(join(dir, "log"), "utf8"), "1\n2\n3\n4\n")
      }),
    )
  })

  it.effect("lists and removes", () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const folder = yield* StateFolder
        yield* save("s/b", "12345")
        yield* save("s/a/x", "1")
        const names = (path: string) =>
          Effect.map(folder.list(path), (items) => items.map(({ name, isFolder }) => (isFolder ? `${name}/` : name)))
        assert.deepStrictEqual(yield* names("s"), ["a/", "b"])
        assert.deepStrictEqual(yield* names("none"), [])
        assert.isTrue(yield* folder.remove("s/a"))
        assert.isTrue(yield* folder.remove("s/a"))
        assert.deepStrictEqual([yield* names("s"), yield* names("")], [["b"], ["lock", "s/"]])
        assert.isAbove((yield* folder.list("s"))[0]!.bytes, 5)
      }).pipe(asServer(yield* scratch))
    }),
  )

  describe("S28 sets aside, and says so once,", () => {
    const damages: readonly (readonly [what: string, damage: (path: string) => void, said: RegExp])[] = [
      ["a changed byte", (path) => writeFileSync(path, readFileSync(path, "utf8").replace("content", "contemt")), /checksum is wrong/],
      ["a file cut short", (path) => truncateSync(path, 25), /is cut short/],
      ["an empty file", (path) => truncateSync(path, 0), /does not begin as it should/],
      ["another kind of file", (path) => writeFileSync(path, readFileSync(path, "utf8").replace("things", "others")), /does not begin/],
      ["zeros", (path) => writeFileSync(path, new Uint8Array(4096)), /does not begin as it should/],
      [
        "a later version",
        (path) => writeFileSync(path, readFileSync(path, "utf8").replace("things 2", "things 3")),
        /later k3-mcp \(version 3/,
      ],
    ]
    for (const [what, damage, said] of damages)
      it.effect(what, () =>
        Effect.gen(function* () {
          const dir = yield* scratch
          yield* asServer(dir)(save("a", "content", "more"))
          damage(join(dir, "a"))
          const bytes = readFileSync(join(dir, "a"))
          yield* Effect.gen(function* () {
            assert.isUndefined(yield* load("a"))
            assert.isUndefined(yield* load("a"))
            const [sentence, ...others] = yield* takeTrouble
            assert.match(sentence!, said)
            assert.deepStrictEqual([others, yield* takeTrouble, yield* trouble], [[], [], [sentence]])
            assert.isTrue(yield* save("a", "anew"))
          }).pipe(asServer(dir))
          const aside = readdirSync(dir).find((name) => /^a\.damaged-\d{8}T\d{6}Z$/.test(name))
          assert.deepStrictEqual(readFileSync(join(dir, aside!)), bytes)
        }),
      )
  })

  it.effect("S29 the first server's data of a session that the second one only tried to load are not overwritten", () =>
    Effect.gen(function* () {
      const dir = yield* scratch
      const path = "sessions/main/embedded/state"
      const first = yield* Effect.forkChild(asServer(dir)(Effect.andThen(save(path, "first"), Effect.never)))
      yield* until(Effect.sync(() => existsSync(join(dir, path))))
      yield* Effect.gen(function* () {
        assert.isUndefined(yield* load(path))
        yield* Fiber.interrupt(first)
        yield* TestClock.adjust("1 second")
        assert.isTrue(yield* save(path, "second"))
        assert.match((yield* trouble).join(), /What an earlier server kept of main is session main-2 now/)
        assert.deepStrictEqual(yield* load("sessions/main-2/embedded/state"), ["first"])
      }).pipe(asServer(dir))
    }),
  )

  it.effect("S29 belongs to one server at a time; another one stores nothing and reports that once", () =>
    Effect.gen(function* () {
      const dir = yield* scratch
      yield* Effect.gen(function* () {
        yield* save("a", "first")
        yield* Effect.gen(function* () {
          assert.isFalse(yield* save("a", "second"))
          assert.isUndefined(yield* load("a"))
          assert.match((yield* takeTrouble).join(""), /Another k3-mcp server/)
          assert.deepStrictEqual(yield* takeTrouble, [])
          assert.match((yield* trouble).join(""), /Another k3-mcp server/)
        }).pipe(asServer(dir))
        assert.deepStrictEqual(yield* load("a"), ["first"])
      }).pipe(asServer(dir))
      assert.deepStrictEqual(yield* asServer(dir)(load("a")), ["first"])
    }),
  )

  it.effect("S29 a folder that is moved away and back while its server writes is the server's again", () =>
    Effect.gen(function* () {
      const place = yield* scratch
      const [dir, away] = [join(place, "state"), join(place, "away")]
      yield* Effect.gen(function* () {
        assert.isTrue(yield* save("a", "first"))
        renameSync(dir, away)
        assert.isTrue(yield* save("a", "second"))
        rmSync(dir, { recursive: true })
        renameSync(away, dir)
        assert.isTrue(yield* save("a", "third"))
        assert.deepStrictEqual([yield* load("a"), yield* trouble], [["third"], []])
      }).pipe(asServer(dir))
    }),
  )

  it.effect(
    "S30 another state folder in the place of ours: its sessions of the same names get other names, and nothing of them is lost",
    () =>
      Effect.gen(function* () {
        const place = yield* scratch
        const [dir, other] = [join(place, "state"), join(place, "other")]
        const fileOf = (session: string) => `sessions/${session}/snapshots/n`
        yield* Effect.gen(function* () {
          yield* save(fileOf("main"), "earlier")
          yield* save(fileOf("unused"), "earlier")
        }).pipe(asServer(other))
        yield* Effect.gen(function* () {
          yield* save(fileOf("main"), "first")
          rmSync(join(dir, "lock"))
          assert.isTrue(yield* save(fileOf("main"), "ours"))
          renameSync(dir, join(place, "away"))
          renameSync(other, dir)
          assert.isTrue(yield* save(fileOf("main"), "later"))
          assert.match(
            (yield* takeTrouble).join("|"),
            /^Another state folder is in the place of [^|]* kept of main is session main-2 now\.$/,
          )
          const stored = yield* Effect.forEach(["main", "main-2", "unused"], (session) => load(fileOf(session)))
          assert.deepStrictEqual(stored, [["later"], ["earlier"], ["earlier"]])
        }).pipe(asServer(dir))
      }),
  )

  it.effect("S29 a server whose folder another one has taken sets nothing aside in it", () =>
    Effect.gen(function* () {
      const dir = yield* scratch
      yield* Effect.gen(function* () {
        const first = yield* StateFolder
        yield* save("a", "first")
        rmSync(join(dir, "lock"))
        yield* Effect.gen(function* () {
          assert.isTrue(yield* save("a", "second"))
          yield* first.setAside("a", "is damaged")
          assert.deepStrictEqual(yield* load("a"), ["second"])
        }).pipe(asServer(dir))
      }).pipe(asServer(dir))
    }),
  )

  describe("S30 that cannot be written is reported once, and nothing fails:", () => {
    it.effect("a full disk, until all that was refused is written", () =>
      Effect.gen(function* () {
        const dir = yield* scratch
        const faults = new Faults()
        yield* Effect.gen(function* () {
          yield* save("a", "old")
          faults.failing.set("write", "ENOSPC")
          assert.isFalse(yield* save("a", "new"))
          assert.isFalse(yield* save("b", "new"))
          assert.match((yield* takeTrouble).join("|"), /^[^|]* cannot be written \(no space left on the disk\)[^|]*$/)
          assert.deepStrictEqual(readdirSync(dir), ["a", "lock"])
          faults.failing.clear()
          assert.isTrue(yield* save("b", "new"))
          assert.match((yield* trouble).join("|"), /^[^|]* cannot be written \(no space left on the disk\)[^|]*$/)
          assert.deepStrictEqual(yield* load("a"), ["old"])
          assert.isTrue(yield* save("a", "new"))
          assert.deepStrictEqual([yield* trouble, yield* takeTrouble], [[], []])
        }).pipe(asServer(dir, faults))
      }),
    )

    it.effect("a full disk, until its writer has given the refused file up", () =>
      Effect.gen(function* () {
        const faults = new Faults()
        yield* Effect.gen(function* () {
          faults.failing.set("write", "ENOSPC")
          assert.isFalse(yield* save("session/values.7", "new"))
          faults.failing.clear()
          yield* TestClock.adjust("1 minute")
          assert.isTrue(yield* save("session/values.1", "new"))
          assert.strictEqual((yield* trouble).length, 1)
          yield* TestClock.adjust("2 minutes")
          assert.isTrue(yield* save("session/values.2", "new"))
          assert.deepStrictEqual(yield* trouble, [])
        }).pipe(asServer(yield* scratch, faults))
      }),
    )

    it.effect("a folder that cannot be made", () =>
      Effect.gen(function* () {
        const file = join(yield* scratch, "file")
        writeFileSync(file, "")
        yield* Effect.gen(function* () {
          assert.isFalse(yield* save("a", "x"))
          assert.match((yield* takeTrouble).join(""), /cannot be used \(not permitted, or not in a folder\): nothing is kept on disk/)
        }).pipe(asServer(join(file, "state")))
      }),
    )

    it.effect("a folder that cannot be opened, until it can: what it had of a session that was used meanwhile is there", () =>
      Effect.gen(function* () {
        const dir = yield* scratch
        const path = "sessions/main/embedded/state"
        yield* asServer(dir)(save(path, "earlier"))
        const faults = new Faults()
        faults.failing.set("stat", "ENOSPC")
        yield* Effect.gen(function* () {
          const { takeovers } = yield* StateFolder
          assert.isFalse(yield* save(path, "refused"))
          yield* TestClock.adjust("5 seconds")
          assert.match((yield* takeTrouble).join("|"), /^[^|]* cannot be used \(no space left on the disk\)[^|]*$/)
          faults.failing.clear()
          yield* until(Effect.map(TestClock.adjust("5 seconds"), () => takeovers() === 1))
          assert.isTrue(yield* save(path, "anew"))
          assert.match((yield* trouble).join("|"), /^The state folder can be used now: [^|]* kept of main is session main-2 now\.$/)
          assert.deepStrictEqual(yield* load("sessions/main-2/embedded/state"), ["earlier"])
        }).pipe(asServer(dir, faults))
      }),
    )

    it.effect("a folder whose lock was removed and cannot be taken again, until it can: its sessions keep their names", () =>
      Effect.gen(function* () {
        const dir = yield* scratch
        const path = "sessions/main/embedded/state"
        const faults = new Faults()
        yield* Effect.gen(function* () {
          assert.isTrue(yield* save(path, "own"))
          rmSync(join(dir, "lock"))
          faults.failing.set("stat", "EMFILE")
          assert.isFalse(yield* save(path, "refused"))
          assert.isUndefined(yield* load(path))
          faults.failing.clear()
          yield* TestClock.adjust("1 second")
          assert.isTrue(yield* save("a", "x"))
          assert.deepStrictEqual([yield* load(path), yield* trouble], [["own"], []])
        }).pipe(asServer(dir, faults))
      }),
    )

    it.effect("a folder without permission", () =>
      Effect.gen(function* () {
        const faults = new Faults()
        faults.failing.set("open", "EACCES")
        yield* Effect.gen(function* () {
          assert.isFalse(yield* append("a", "x"))
          assert.match((yield* takeTrouble).join(""), /permission denied/)
        }).pipe(asServer(yield* scratch, faults))
      }),
    )

    it.effect("a folder that other users may write to", () =>
      Effect.gen(function* () {
        const dir = join(yield* scratch, "open")
        mkdirSync(dir)
        chmodSync(dir, 0o777)
        yield* Effect.gen(function* () {
          assert.isFalse(yield* save("a", "x"))
          assert.match((yield* takeTrouble).join(""), /may be written by other users/)
        }).pipe(asServer(dir))
      }),
    )
  })

  it.effect("that is turned off stores nothing and reports nothing", () =>
    Effect.gen(function* () {
      const folder = yield* StateFolder
      assert.deepStrictEqual([yield* save("a", "x"), yield* append("b", "y"), yield* load("a")], [false, false, undefined])
      assert.deepStrictEqual([folder.folder, yield* folder.available, yield* folder.list(""), yield* trouble], [null, false, [], []])
    }).pipe(asServer(null)),
  )
})

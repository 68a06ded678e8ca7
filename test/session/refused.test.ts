/** S30 what the store refused is written, or removed, when the store takes it, without another call. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { isSound } from "../../src/define/definition.ts"
import { Definitions } from "../../src/session/Definitions.ts"
import { CrashRecords } from "../../src/session/history/CrashRecord.ts"
import { History } from "../../src/session/history/History.ts"
import { Sessions } from "../../src/session/Sessions.ts"
import { make as makeSubscriptions } from "../../src/session/Subscriptions.ts"
import { Settings, type SettingValues } from "../../src/Settings.ts"
import { Store } from "../../src/store/Store.ts"
import { someCrash, someDefinition } from "../lib/documents.ts"
import { MemoryStore } from "../lib/memoryStore.ts"
import { Script } from "../lib/scriptedChild.ts"
import { idle, settled } from "../lib/scriptedSession.ts"
import { scripted, settings } from "../lib/sessionLayers.ts"

/** Lets the next attempt happen. */
const attempt = Effect.andThen(TestClock.adjust(60_000), settled)

const stored = (store: MemoryStore, session = "main", path = ".k.x") => store.workspaces.get(session)?.contents.variables.get(path)?.image

const sessions = (
  name: string,
  body: (store: MemoryStore, all: Sessions["Service"], script: Script) => Effect.Effect<void, unknown>,
  engine: SettingValues["engine"] = "embedded",
) =>
  it.effect(name, () => {
    const script = new Script()
    const store = new MemoryStore()
    return Effect.flatMap(Sessions, (all) => body(store, all, script)).pipe(
      Effect.provide(scripted(script, { engine, evalTimeout: 1000, sessionTtl: 1e9 }, undefined, store.layer)),
    )
  })

sessions("S30 a session and its snapshots are written", (store, all) =>
  Effect.gen(function* () {
    const session = yield* all.get("main")
    store.isFull = true
    for (let n = 0; n <= 20; n++) yield* session.evaluate({ code: `x: ${n}` })
    yield* session.snapshots.save("same")
    yield* idle
    store.isFull = false
    assert.deepStrictEqual([store.workspaces.size, store.snapshots.size], [0, 0])
    yield* attempt
    assert.strictEqual(stored(store), "20")
    assert.deepStrictEqual([...store.snapshots.keys()], ["main same"])
  }),
)

sessions("S30 an active session tries to write to a full disk after the growing pauses alone", (store, all) =>
  Effect.gen(function* () {
    let tries = 0
    let isFull = true
    Object.defineProperty(store, "isFull", { get: () => (tries++, isFull) })
    const session = yield* all.get("main")
    const work = Effect.gen(function* () {
      for (let n = 0; n <= 20; n++) yield* session.evaluate({ code: `x: ${n}` })
      yield* idle
    })
    yield* work
    assert.strictEqual(tries, 1)
    yield* work
    assert.strictEqual(tries, 1)
    yield* attempt
    const after = tries
    yield* work
    assert.strictEqual(tries, after)
    isFull = false
    yield* attempt
    assert.strictEqual(stored(store), "20")
  }),
)

sessions("S30 a write that the store refused after a long time waits no longer for its next attempt", (store, all) =>
  Effect.gen(function* () {
    const session = yield* all.get("main")
    yield* session.evaluate({ code: "x: 1" })
    store.isFull = true
    store.delay = 20_000
    yield* idle
    yield* TestClock.adjust(1000)
    yield* TestClock.adjust(20_000)
    store.isFull = false
    store.delay = 0
    yield* attempt
    assert.strictEqual(stored(store), "1")
  }),
)

sessions("S30 a write that ends in a defect is made again, with all that it was to write", (store, all) =>
  Effect.gen(function* () {
    const session = yield* all.get("main")
    yield* session.evaluate({ code: "x: 1" })
    store.breaksNext = true
    yield* idle
    yield* attempt
    assert.isFalse(store.breaksNext)
    yield* attempt
    assert.strictEqual(stored(store), "1")
    assert.deepStrictEqual(store.changed, [".k.x"])
  }),
)

sessions("S31 an evaluation that comes during the second of two writes is written", (store, all) =>
  Effect.gen(function* () {
    const session = yield* all.get("main")
    yield* session.evaluate({ code: "x: 1" })
    yield* idle
    store.delay = 1000
    const writes = yield* Effect.forkChild(Effect.all([session.persist, session.persist], { concurrency: "unbounded" }))
    yield* settled
    yield* TestClock.adjust(1200)
    yield* session.evaluate({ code: "y: 2" })
    yield* idle
    yield* TestClock.adjust(1000)
    yield* Fiber.join(writes)
    store.delay = 0
    yield* attempt
    assert.strictEqual(stored(store, "main", ".k.y"), "2")
  }),
)

sessions("S31 captured variables are written although the child ends before their write, and is launched slowly", (store, all, script) =>
  Effect.gen(function* () {
    const session = yield* all.get("main")
    yield* session.evaluate({ code: "x: 1" })
    yield* idle
    yield* TestClock.adjust(800)
    script.launches.push("slow")
    yield* session.evaluate({ code: "y: 1" })
    script.latest.exit({ code: 1, signal: null })
    yield* idle
    yield* TestClock.adjust(2000)
    assert.strictEqual((yield* session.status).phase, "launching")
    assert.isUndefined(stored(store))
    script.wake()
    yield* attempt
    assert.strictEqual(stored(store), "1")
  }),
)

sessions("S31 variables of a fork, and those after an undo, are written as those of an evaluation are", (store, all) =>
  Effect.gen(function* () {
    const session = yield* all.get("main")
    for (const code of ["x: 1", "x: 2"]) {
      yield* session.evaluate({ code })
      yield* idle
      yield* attempt
    }
    yield* all.fork({ from: "main", name: "copy" })
    yield* attempt
    assert.strictEqual(stored(store, "copy"), "2")
    assert.strictEqual(stored(store), "2")
    yield* session.snapshots.undo("undo")
    yield* attempt
    assert.strictEqual(stored(store), "1")
  }),
)

sessions(
  "S31 an undo that was written before it was cut short is written back",
  (store, all, script) =>
    Effect.gen(function* () {
      const session = yield* all.get("main")
      yield* session.evaluate({ code: "y: 1" })
      yield* idle
      yield* session.evaluate({ code: "x: 1" })
      yield* idle
      yield* TestClock.adjust(500)
      script.launches.push("slow")
      const undo = yield* Effect.forkChild(session.snapshots.undo("undo"))
      yield* settled
      yield* TestClock.adjust(500)
      yield* settled
      assert.deepStrictEqual([...store.workspaces.get("main")!.contents.variables.keys()], [".k.y"])
      yield* Fiber.interrupt(undo)
      yield* attempt
      assert.isDefined(stored(store))
    }),
  "k3csharp",
)

sessions("S30 a reply says when the store refused a snapshot", (store, all) =>
  Effect.gen(function* () {
    const session = yield* all.get("main")
    yield* session.evaluate({ code: "x: 1" })
    assert.isUndefined((yield* session.snapshots.save("one")).isUnwritten)
    assert.isUndefined(yield* session.snapshots.rename("one", "two"))
    store.isFull = true
    assert.isTrue((yield* session.snapshots.save("one")).isUnwritten)
    assert.isTrue((yield* session.snapshots.rebase("two")).isUnwritten)
    assert.deepStrictEqual(yield* session.snapshots.rename("two", "three"), { isUnwritten: true })
    store.isFull = false
    yield* attempt
    assert.deepStrictEqual([...store.snapshots.keys()].sort(), ["main one", "main three"])
  }),
)

sessions("S30 a session that is being launched at the attempt is written afterwards", (store, all, script) =>
  Effect.gen(function* () {
    const session = yield* all.get("main")
    store.isFull = true
    for (let n = 0; n <= 20; n++) yield* session.evaluate({ code: `x: ${n}` })
    yield* idle
    script.launches.push("slow")
    yield* session.evaluate({ code: "y: 1" })
    script.latest.exit({ code: 1, signal: null })
    store.isFull = false
    yield* TestClock.adjust(6000)
    yield* settled
    assert.strictEqual((yield* session.status).phase, "launching")
    script.wake()
    yield* settled
    yield* attempt
    assert.strictEqual(stored(store), "20")
  }),
)

sessions("S30 S31 variables that a reset forgot are removed", (store, all) =>
  Effect.gen(function* () {
    const session = yield* all.get("main")
    for (let n = 0; n <= 20; n++) yield* session.evaluate({ code: `x: ${n}` })
    yield* idle
    assert.isDefined(stored(store))
    store.isFull = true
    yield* session.reset
    store.isFull = false
    yield* attempt
    assert.isUndefined(stored(store))
  }),
)

sessions("S30 a snapshot that was removed is removed, also when the client cancels", (store, all) =>
  Effect.gen(function* () {
    const session = yield* all.get("main")
    yield* session.evaluate({ code: "x: 1" })
    yield* session.snapshots.save("one")
    yield* session.snapshots.save("two")
    store.isFull = true
    yield* session.snapshots.remove("one")
    store.isFull = false
    store.delay = 1000
    const removal = yield* Effect.forkChild(session.snapshots.remove("two"))
    yield* settled
    yield* Fiber.interrupt(removal)
    store.delay = 0
    assert.strictEqual(store.snapshots.size, 2)
    yield* attempt
    assert.strictEqual(store.snapshots.size, 0)
  }),
)

sessions("S30 a renamed snapshot keeps its old name until it has the new one", (store, all) =>
  Effect.gen(function* () {
    const session = yield* all.get("main")
    yield* session.evaluate({ code: "x: 1" })
    yield* session.snapshots.save("old")
    Object.defineProperty(store, "isFull", { get: () => !store.snapshots.has("main new") && isRefusing })
    let isRefusing = true
    yield* session.snapshots.rename("old", "between")
    yield* session.snapshots.rename("between", "new")
    assert.deepStrictEqual([...store.snapshots.keys()], ["main old"])
    isRefusing = false
    yield* attempt
    assert.deepStrictEqual([...store.snapshots.keys()], ["main new"])
  }),
)

sessions("S30 a snapshot is removed at once, also while another one waits to be saved: it may make room for that", (store, all) =>
  Effect.gen(function* () {
    const session = yield* all.get("main")
    yield* session.evaluate({ code: "x: 1" })
    yield* session.snapshots.save("old")
    store.isFull = true
    yield* session.snapshots.save("new")
    store.isFull = false
    yield* session.snapshots.remove("old")
    assert.deepStrictEqual([...store.snapshots.keys()], [])
    yield* attempt
    assert.deepStrictEqual([...store.snapshots.keys()], ["main new"])
  }),
)

/** A session on disk that was closed while the store refused everything. */
const closed = Effect.fnUntraced(function* (store: MemoryStore, all: Sessions["Service"]) {
  const session = yield* all.get("main")
  for (let n = 0; n <= 20; n++) yield* session.evaluate({ code: `x: ${n}` })
  yield* idle
  yield* session.snapshots.save("one")
  assert.deepStrictEqual([store.workspaces.size, store.snapshots.size], [1, 1])
  store.isFull = true
  yield* all.close("main")
})

sessions("S30 B8 a closed session is removed with its snapshots", (store, all) =>
  Effect.gen(function* () {
    yield* closed(store, all)
    assert.deepInclude(yield* Effect.flip(all.close("main")), { _tag: "NoSession" })
    store.isFull = false
    yield* attempt
    assert.deepStrictEqual([store.workspaces.size, store.snapshots.size], [0, 0])
  }),
)

sessions("S30 B8 a removal takes nothing from a later session of the name, nor gives it anything", (store, all) =>
  Effect.gen(function* () {
    yield* closed(store, all)
    const session = yield* all.get("main")
    for (let n = 0; n <= 20; n++) yield* session.evaluate({ code: `y: ${n}` })
    yield* idle
    yield* session.snapshots.save("two")
    store.isFull = false
    yield* session.persist
    const written = () => [[...store.workspaces.get("main")!.contents.variables.keys()], [...store.snapshots.keys()]]
    assert.deepStrictEqual(written(), [[".k.y"], ["main two"]])
    yield* attempt
    assert.deepStrictEqual(written(), [[".k.y"], ["main two"]])
  }),
)

sessions("S30 B8 a removal takes nothing that another machine has written meanwhile", (store, all) =>
  Effect.gen(function* () {
    yield* closed(store, all)
    store.isFull = false
    store.epoch++
    yield* attempt
    assert.deepStrictEqual([store.workspaces.size, store.snapshots.size], [1, 1])
  }),
)

sessions("S30 B6 a fork has no snapshots of a closed session of its name", (store, all) =>
  Effect.gen(function* () {
    yield* (yield* all.get("main")).snapshots.save("one")
    yield* (yield* all.get("copy")).snapshots.save("old")
    store.isFull = true
    yield* all.close("copy")
    yield* all.fork({ from: "main", name: "copy" })
    yield* (yield* all.get("copy")).snapshots.save("new")
    store.isFull = false
    yield* attempt
    assert.deepStrictEqual([...store.snapshots.keys()].sort(), ["copy new", "main one"])
  }),
)

it.effect("S30 a removal does not wait for those of other sessions, nor the end of the server for one after the other", () => {
  const store = new MemoryStore()
  return Effect.gen(function* () {
    store.isFull = true
    store.delay = 20_000
    const removals = Store.use(({ snapshots }) =>
      Effect.forEach(Array(5).keys(), (n) => snapshots(`s${n}`).clear, { concurrency: "unbounded", discard: true }),
    )
    const server = yield* Effect.forkChild(Effect.provide(removals, store.layer))
    yield* settled
    let seconds = 0
    for (; server.pollUnsafe() === undefined && seconds < 300; seconds += 20) {
      yield* TestClock.adjust(20_000)
      yield* settled
    }
    assert.strictEqual(seconds, 40)
  })
})

/** Ten tools that the store refused. */
const refusedTools = Effect.fnUntraced(function* (store: MemoryStore) {
  const definitions = yield* Definitions
  store.isFull = true
  for (let n = 0; n < 10; n++) yield* definitions.add({ ...someDefinition, name: `f${n}`, code: "{*x}" })
  return definitions
})
const overDefinitions = (store: MemoryStore) => Effect.provide(Layer.fresh(Definitions.layer(isSound)).pipe(Layer.provide(store.layer)))

it.effect("S30 a tool that was removed is removed, unless another machine has defined it anew", () => {
  const store = new MemoryStore()
  return Effect.gen(function* () {
    const definitions = yield* Definitions
    const remain = Effect.map(definitions.all, (all) => all.map(({ name, code }) => `${name} ${code}`))
    for (const name of ["f", "g"]) yield* definitions.add({ ...someDefinition, name, code: "{*x}" })
    store.isFull = true
    yield* definitions.remove("f")
    yield* definitions.remove("g")
    const newer = { ...someDefinition, name: "g", version: 2, at: 1, code: "{#x}" }
    store.documents.set("definitions g", [JSON.stringify(newer)])
    yield* store.takeOver
    yield* attempt
    assert.deepStrictEqual(yield* remain, ["g {#x}"])
    assert.strictEqual(store.documents.size, 2)
    store.isFull = false
    yield* attempt
    assert.deepStrictEqual([...store.documents.keys()], ["definitions g"])
    assert.deepStrictEqual(yield* remain, ["g {#x}"])
  }).pipe(overDefinitions(store))
})

it.effect("S30 a tool that was removed stays while a reading fails, since another machine may have defined it anew", () => {
  const store = new MemoryStore()
  return Effect.gen(function* () {
    const definitions = yield* Definitions
    yield* definitions.add({ ...someDefinition, name: "f", code: "{*x}" })
    store.isFull = true
    yield* definitions.remove("f")
    store.isFull = false
    const newer = JSON.stringify({ ...someDefinition, name: "f", version: 2, at: 1, code: "{#x}" })
    store.documents.set("definitions f", [newer])
    store.documents.keys = () => new Map<string, never>().keys()
    yield* store.takeOver
    assert.deepStrictEqual(yield* definitions.all, [])
    Reflect.deleteProperty(store.documents, "keys")
    yield* store.takeOver
    yield* attempt
    assert.deepStrictEqual([...store.documents.values()], [[newer]])
  }).pipe(overDefinitions(store))
})

it.effect("S30 clients do not wait for the attempts of a slow store", () => {
  const store = new MemoryStore()
  return Effect.gen(function* () {
    const definitions = yield* refusedTools(store)
    store.delay = 20_000
    yield* TestClock.adjust(5000)
    yield* settled
    const all = yield* Effect.forkChild(definitions.all)
    yield* settled
    yield* TestClock.adjust(60_000)
    yield* settled
    assert.isDefined(all.pollUnsafe(), "within a minute")
    store.delay = 0
    yield* attempt
  }).pipe(overDefinitions(store))
})

it.effect("S30 the end of the server waits for one write of a running attempt", () => {
  const store = new MemoryStore()
  return Effect.gen(function* () {
    const server = yield* Effect.gen(function* () {
      yield* refusedTools(store)
      store.delay = 1000
      yield* TestClock.adjust(5000)
      yield* settled
    }).pipe(overDefinitions(store), Effect.forkChild)
    yield* settled
    let seconds = 0
    for (; server.pollUnsafe() === undefined && seconds < 30; seconds++) {
      yield* TestClock.adjust(1000)
      yield* settled
    }
    assert.isAtMost(seconds, 12, "one second for each of ten writes, and the running attempt")
  })
})

const entry = { at: 0, code: "1", output: "", ok: true, ms: 1, generation: 1 }

it.effect("S30 a session leaves its machine without waiting for the histories of others", () => {
  const store = new MemoryStore()
  return Effect.gen(function* () {
    const history = yield* History
    for (let n = 0; n < 10; n++) (yield* history.of(`s${n}`)).record(entry)
    yield* history.of("main")
    store.isFull = true
    yield* TestClock.adjust(1000)
    yield* settled
    store.delay = 20_000
    yield* TestClock.adjust(5000)
    yield* settled
    const left = yield* Effect.forkChild(history.leave("main", false))
    yield* settled
    yield* TestClock.adjust(60_000)
    yield* settled
    assert.isDefined(left.pollUnsafe(), "within a minute")
    store.delay = 0
    store.isFull = false
    yield* attempt
  }).pipe(
    Effect.provide(
      Layer.fresh(History.layer).pipe(Layer.provide([store.layer, Layer.succeed(Settings, settings({ historyKept: 2 ** 20 }))])),
    ),
  )
})

it.effect("S30 a crash record whose write was not confirmed is there once", () => {
  const store = new MemoryStore()
  return Effect.gen(function* () {
    const crashes = yield* CrashRecords
    store.losesAnswer = true
    crashes.note(someCrash)
    yield* settled
    yield* store.takeOver
    yield* attempt
    assert.lengthOf(yield* crashes.all, 1)
  }).pipe(Effect.provide(Layer.fresh(CrashRecords.layer).pipe(Layer.provide(store.layer))))
})

it.effect("S30 older addresses of a client do not replace the newer ones of another machine", () => {
  const store = new MemoryStore()
  return Effect.gen(function* () {
    const subscriptions = yield* makeSubscriptions
    store.isFull = true
    yield* subscriptions.keep("00000000-0000-4000-8000-000000000001", ["k3://old"])
    store.isFull = false
    const newer = JSON.stringify({ at: 1, addresses: ["k3://new"] })
    store.documents.set("subscriptions 00000000000040008000000000000001", [newer])
    yield* store.takeOver
    yield* attempt
    assert.deepStrictEqual([...store.documents.values()], [[newer]])
  }).pipe(Effect.scoped, Effect.provide(store.layer))
})

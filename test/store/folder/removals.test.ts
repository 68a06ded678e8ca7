/** S30 removals that a state folder refused. */
import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { type Snapshot, Store } from "../../../src/store/Store.ts"
import { Faults } from "../../lib/faultyFileSystem.ts"
import { Holder, imagesOf } from "../../lib/holder.ts"
import { asServer, scratch, stateFolder } from "../../lib/stateFolder.ts"
import { until } from "../../lib/waiting.ts"

const server = Effect.fnUntraced(function* (folder: string, faults?: Faults) {
  const scope = yield* Scope.fork(yield* Scope.Scope)
  const store = Context.get(yield* Layer.buildWithScope(stateFolder(folder, faults), scope), Store)
  return { store, end: Scope.close(scope, Exit.void) }
})
const main = ({ workspace }: Store["Service"]) => workspace("main", "/")

it.effect("S29 S30 a removal that a server could not make takes nothing that another server has written meanwhile", () =>
  Effect.gen(function* () {
    const folder = yield* scratch
    const faults = new Faults()
    const first = yield* server(folder, faults)
    const workspace = yield* main(first.store)
    assert.isTrue(yield* workspace.persist(new Holder().set("x", "old")))
    faults.failing.set("remove", "EACCES")
    assert.isFalse(yield* workspace.forget)
    faults.failing.clear()
    rmSync(join(folder, "lock"))
    const second = yield* server(folder)
    assert.isTrue(yield* (yield* main(second.store)).persist(new Holder().set("y", "new")))
    assert.isFalse(yield* first.store.history("other").append(1, ["{}"]))
    yield* second.end
    yield* until(Effect.map(TestClock.adjust("5 seconds"), () => first.store.takeovers() === 1))
    yield* first.end
    const { store } = yield* server(folder)
    assert.deepStrictEqual(imagesOf((yield* (yield* main(store)).load("embedded"))!.held.variables), { y: "new" })
  }),
)

it.effect("S30 a refused removal is a problem until it is made, also when other files to remove are not there", () =>
  Effect.gen(function* () {
    const faults = new Faults()
    const { store } = yield* server(yield* scratch, faults)
    const workspace = yield* main(store)
    assert.isTrue(yield* workspace.persist(new Holder().set("x", "1")))
    faults.failing.set("remove", "EACCES")
    assert.isFalse(yield* workspace.forget)
    assert.match((yield* store.trouble).join("|"), /^[^|]*embedded cannot be removed \(permission denied\)[^|]*$/)
    faults.failing.clear()
    yield* until(Effect.map(Effect.andThen(TestClock.adjust("5 seconds"), store.trouble), ({ length }) => length === 0))
    assert.isUndefined(yield* workspace.load("embedded"))
  }),
)

const snapshot = (name: string): Snapshot => ({
  name,
  at: 1,
  generation: 1,
  engine: "embedded",
  build: null,
  settings: undefined,
  variables: new Map(),
})

it.effect("S30 a file that could not be read for a moment is removed with its session, and a later one of the name is written", () =>
  Effect.gen(function* () {
    const folder = yield* scratch
    yield* asServer(folder)(
      Store.use((store) =>
        Effect.gen(function* () {
          assert.isTrue(yield* (yield* main(store)).persist(new Holder().set("x", "old")))
          assert.isTrue(yield* store.snapshots("main").save(snapshot("one")))
        }),
      ),
    )
    const faults = new Faults()
    const { store } = yield* server(folder, faults)
    const workspace = yield* main(store)
    const { load, clear } = store.snapshots("main")
    yield* store.available
    faults.failing.set("readFile", "EMFILE")
    assert.isUndefined(yield* workspace.load("embedded"))
    assert.deepStrictEqual(yield* load(snapshot("present")), [])
    faults.failing.clear()
    assert.isTrue(yield* workspace.forget)
    assert.isTrue(yield* clear)
    assert.isTrue(yield* (yield* main(store)).persist(new Holder().set("y", "new")))
    assert.isTrue(yield* store.snapshots("main").save(snapshot("two")))
    assert.deepStrictEqual(
      (yield* load(snapshot("present"))).map(({ name }) => name),
      ["two"],
    )
    assert.deepStrictEqual(yield* store.trouble, [])
  }),
)

/** S30 removals that a state folder refused. */
import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { type Snapshot, Store } from "../../../src/store/Store.ts"
import { Faults } from "../../lib/faultyFileSystem.ts"
import { Holder } from "../../lib/holder.ts"
import { asServer, scratch, stateFolder } from "../../lib/stateFolder.ts"

const server = Effect.fnUntraced(function* (folder: string, faults?: Faults) {
  const scope = yield* Scope.fork(yield* Scope.Scope)
  const store = Context.get(yield* Layer.buildWithScope(stateFolder(folder, faults), scope), Store)
  return { store, end: Scope.close(scope, Exit.void) }
})
const main = ({ workspace }: Store["Service"]) => workspace("main", "/")

const snapshot = (name: string): Snapshot => ({
  name,
  at: 1,
  generation: 1,
  engine: "embedded",
  build: null,
  workspace: undefined,
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

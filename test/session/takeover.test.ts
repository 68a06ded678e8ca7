/** S29 a server that takes over a state folder adds its own definitions and crash records to those of the other server. */
import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { isSound } from "../../src/define/definition.ts"
import { Definitions } from "../../src/session/Definitions.ts"
import { CrashRecords } from "../../src/session/history/CrashRecord.ts"
import { Store } from "../../src/store/Store.ts"
import { someCrash, someDefinition } from "../lib/documents.ts"
import { scratch, stateFolder } from "../lib/stateFolder.ts"
import { until } from "../lib/waiting.ts"

const serverOn = Effect.fnUntraced(function* (folder: string) {
  const scope = yield* Scope.fork(yield* Scope.Scope)
  const services = Layer.provideMerge(
    Layer.mergeAll(Layer.fresh(Definitions.layer(isSound)), Layer.fresh(CrashRecords.layer)),
    stateFolder(folder),
  )
  const context = yield* Layer.buildWithScope(services, scope)
  const definitions = Context.get(context, Definitions)
  const crashes = Context.get(context, CrashRecords)
  return {
    definitions,
    crashes,
    store: Context.get(context, Store),
    define: (name: string, code: string) => Effect.map(definitions.add({ ...someDefinition, name, code }), (added) => added!.kept),
    fall: (stderr: string) =>
      Effect.suspend(() => {
        crashes.note({ ...someCrash, stderr })
        return crashes.all
      }),
    close: Scope.close(scope, Exit.void),
  }
})
type Server = Effect.Success<ReturnType<typeof serverOn>>

const definedOf = ({ definitions }: Server, name: string) =>
  Effect.map(definitions.versions(name), (all) => all.map(({ version, code }) => `${version} ${code}`))
const fallsOf = ({ crashes }: Server) => Effect.map(crashes.all, (all) => all.map(({ n, stderr }) => `${n} ${stderr}`))

/** Waits until the second server has the folder. */
const both = Effect.fnUntraced(function* (folder: string) {
  const first = yield* serverOn(folder)
  assert.isTrue(yield* first.define("mean", "{1+x}"))
  assert.isTrue(yield* first.define("mean", "{2+x}"))
  assert.isTrue(yield* first.define("theirs", "{3+x}"))
  yield* first.fall("theirs")
  const second = yield* serverOn(folder)
  assert.isFalse(yield* second.define("mean", "{4+x}"))
  assert.isFalse(yield* second.define("ours", "{5+x}"))
  yield* second.fall("ours")
  yield* first.close
  return second
})

const isWhole = Effect.fnUntraced(function* (server: Server) {
  assert.deepStrictEqual(yield* definedOf(server, "mean"), ["1 {1+x}", "2 {2+x}", "3 {4+x}"])
  assert.deepStrictEqual([yield* definedOf(server, "theirs"), yield* definedOf(server, "ours")], [["1 {3+x}"], ["1 {5+x}"]])
  assert.deepStrictEqual(yield* fallsOf(server), ["1 theirs", "2 ours"])
})

it.effect("S29 C5 H7 they are written when the repeated attempt takes the folder over, and listeners are called for new tools", () =>
  Effect.gen(function* () {
    const folder = yield* scratch
    const second = yield* both(folder)
    let heard = 0
    second.definitions.listen(() => heard++)
    yield* until(
      Effect.gen(function* () {
        yield* TestClock.adjust(1000)
        return heard > 0
      }),
    )
    // No operation makes it read again.
    assert.strictEqual(second.store.takeovers(), 1)
    yield* isWhole(second)
    yield* second.close
    yield* isWhole(yield* serverOn(folder))
  }),
)

it.effect("S29 C5 H7 a write that takes the folder over keeps the other server's document of the same name", () =>
  Effect.gen(function* () {
    const folder = yield* scratch
    const second = yield* both(folder)
    yield* TestClock.adjust(600)
    assert.isTrue(yield* second.define("mean", "{6+x}"))
    assert.deepStrictEqual(yield* definedOf(second, "mean"), ["1 {1+x}", "2 {2+x}", "3 {4+x}", "4 {6+x}"])
    yield* second.fall("ours again")
    yield* second.close
    const third = yield* serverOn(folder)
    assert.deepStrictEqual(yield* definedOf(third, "mean"), ["1 {1+x}", "2 {2+x}", "3 {4+x}", "4 {6+x}"])
    assert.deepStrictEqual(yield* fallsOf(third), ["1 theirs", "2 ours", "3 ours again"])
  }),
)

it.effect("S29 C5 H7 a server that ends before a takeover takes the folder over at its end", () =>
  Effect.gen(function* () {
    const folder = yield* scratch
    const second = yield* both(folder)
    yield* TestClock.adjust(600)
    yield* second.close
    yield* isWhole(yield* serverOn(folder))
  }),
)

/**
 * S27 the store and a loss of power: each operation is cut before every call that changes the disk, and unflushed data are present, partly
 * present or lost at random. A new server finds the whole old or the whole new state; the new one, if the operation had succeeded. It can work on
 * from there.
 */
import { assert, describe, it } from "@effect/vitest"
import * as NodePath from "@effect/platform-node/NodePath"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import { empty } from "../../../src/child/Contents.ts"
import * as NodeMachine from "../../../src/platform/NodeMachine.ts"
import { Settings } from "../../../src/Settings.ts"
import * as FolderStore from "../../../src/store/folder/FolderStore.ts"
import { Lock } from "../../../src/store/folder/Lock.ts"
import { StateFolder } from "../../../src/store/folder/StateFolder.ts"
import { Store } from "../../../src/store/Store.ts"
import { PowerDisk, type Tree } from "../../lib/powerFileSystem.ts"
import { settings } from "../../lib/sessionLayers.ts"

const home: Tree = new Map([["/home", null]])
const stateDir = "/home/new/state"
const others = (): never => assert.fail("no lock is asked for twice")

const onDisk = <A>(disk: PowerDisk, body: Effect.Effect<A, never, Store | Scope.Scope>): Effect.Effect<A> => {
  let taken = false
  const lock = Layer.succeed(Lock, {
    take: () => Effect.sync(() => (taken ? others() : ((taken = true), { isOurs: Effect.succeed(true) }))),
  })
  const state = Layer.fresh(Layer.provide(FolderStore.layer, StateFolder.layer)).pipe(
    Layer.provide([
      disk.layer,
      NodePath.layer,
      lock,
      NodeMachine.layer({ embeddedProgram: "" }),
      Layer.succeed(Settings, settings({ stateDir })),
      Logger.layer([]),
    ]),
  )
  return Effect.provide(Effect.scoped(body), state)
}

const variable = (name: string, image: string) => ({ path: `.k.${name}`, type: 1, shape: "", bytes: 1, text: image.slice(0, 9), image })

/** A source with these variables, all of which may have changed. */
const source = (images: Readonly<Record<string, string>>, changed = Object.keys(images)) => {
  const held = {
    variables: new Map(Object.entries(images).map(([name, image]) => [`.k.${name}`, variable(name, image)])),
    settings: undefined,
  }
  return {
    engine: "embedded" as const,
    takeUnsaved: () => ({ held, changed: new Set(changed.map((name) => `.k.${name}`)) }),
    stillUnsaved: () => {},
  }
}

const isJson = (line: string): boolean => {
  try {
    return typeof JSON.parse(line) === "object"
  } catch {
    return false
  }
}

/** All data that a new server finds, as text. Files set aside are only mentioned. */
const look = Effect.gen(function* () {
  const store = yield* Store
  const workspace = yield* store.workspace("main", "/")
  const returned = yield* workspace.load("embedded")
  const history = store.history("main")
  const lines: string[] = []
  for (const { first } of yield* history.segments) lines.push(...(yield* history.lines(first)).filter(isJson))
  const documents: string[] = []
  for (const kept of [store.documents.definitions, store.documents.crashes])
    for (const key of yield* kept.keys) documents.push(`${key}: ${(yield* kept.load(key))?.join()}`)
  const snapshots = (yield* store.snapshots("main").load(empty)).map(({ name, variables }) => [
    name,
    [...variables.values()].map(({ image }) => image),
  ])
  const variables = [...(returned?.held.variables.values() ?? [])]
    .map(({ path, image }) => `${path}=${image?.slice(0, 5)}${image?.length}`)
    .sort()
  const went = yield* workspace.persist(source({ next: "1" }))
  const added = yield* history.append(1, ['{"n":9}'])
  return { found: JSON.stringify({ variables, lines, documents, snapshots }), trouble: yield* store.trouble, goesOn: went && added }
})

interface Operation {
  readonly name: string
  readonly before?: Effect.Effect<unknown, never, Store | Scope.Scope>
  readonly run: Effect.Effect<unknown, never, Store | Scope.Scope>
}

const persist = (images: Readonly<Record<string, string>>, changed?: string[]) =>
  Effect.gen(function* () {
    const workspace = yield* Store.use((store) => store.workspace("main", "/"))
    yield* workspace.load("embedded")
    assert.isTrue(yield* workspace.persist(source(images, changed)))
  })
const snapshot = (image: string) => ({
  name: "s",
  at: 1,
  generation: 1,
  engine: "embedded" as const,
  build: null,
  settings: undefined,
  variables: new Map([[".k.a", variable("a", image)]]),
})
const saveSnapshot = (image: string) => Store.use((store) => store.snapshots("main").save(snapshot(image)))
const append = (n: number) => Store.use((store) => store.history("main").append(1, [JSON.stringify({ n })]))

const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`v${i}`, "x".repeat(100)]))
const operations: readonly Operation[] = [
  { name: "the first persist, which makes every folder", run: persist({ a: "one" }) },
  { name: "a persist of little", before: persist(many), run: persist({ ...many, a: "new" }, ["a"]) },
  { name: "a persist that merges", before: persist({ a: "one" }), run: persist({ a: "two", ...many }) },
  { name: "a persist of what is gone", before: persist(many), run: persist({ v0: "x" }, Object.keys(many)) },
  { name: "a first snapshot", run: saveSnapshot("one") },
  { name: "a snapshot again", before: saveSnapshot("one"), run: saveSnapshot("two") },
  { name: "a snapshot removed", before: saveSnapshot("one"), run: Store.use((store) => store.snapshots("main").remove("s")) },
  { name: "a first entry of a history", run: append(1) },
  { name: "an entry of a history", before: append(1), run: append(2) },
  { name: "a history's segment removed", before: append(1), run: Store.use((store) => store.history("main").remove(1)) },
  { name: "a definition", run: Store.use((store) => store.documents.definitions.save("d", ["1"])) },
  {
    name: "a definition again",
    before: Store.use((store) => store.documents.definitions.save("d", ["1"])),
    run: Store.use((store) => store.documents.definitions.save("d", ["1", "2"])),
  },
  { name: "a crash record", run: Store.use((store) => store.documents.crashes.save("1", ["{}"])) },
  {
    name: "a definition set aside",
    before: Store.use((store) => store.documents.definitions.save("d", ["1"])),
    run: Store.use((store) => store.documents.definitions.setAside("d", "is damaged")),
  },
  {
    name: "a session forgotten",
    before: Effect.andThen(persist(many), saveSnapshot("one")),
    run: Effect.gen(function* () {
      const store = yield* Store
      yield* (yield* store.workspace("main", "/")).forget
    }),
  },
]

/** The random number generator mulberry32. */
const chance = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
}
const fates: readonly (readonly [name: string, luck: () => () => number])[] = [
  ["all that was not flushed is gone", () => () => 0],
  ["all is there", () => () => 1],
  ...[1, 2, 3, 4, 5, 6].map((seed) => [`chance ${seed}`, () => chance(seed)] as const),
]

describe("S27 when the power goes", () => {
  it.effect.each(operations)("$name: the old or the new, whole", ({ before, run }) =>
    Effect.gen(function* () {
      const prepared = new PowerDisk(home)
      if (before !== undefined) yield* onDisk(prepared, before)
      const start = prepared.afterCut(() => 1)
      const old = (yield* onDisk(new PowerDisk(start), look)).found
      const disk = new PowerDisk(start)
      const cuts: { readonly call: string; readonly fate: string; readonly tree: Tree }[] = []
      const cut = (): void => {
        for (const [fate, luck] of fates)
          cuts.push({ call: `${disk.calls.length} after ${disk.calls.at(-1)}`, fate, tree: disk.afterCut(luck()) })
      }
      disk.onCut = cut
      yield* onDisk(disk, run)
      disk.onCut = () => {}
      const during = cuts.length
      cut()
      const now = (yield* onDisk(new PowerDisk(disk.afterCut(() => 1)), look)).found
      assert.notStrictEqual(now, old)
      for (const [i, { call, fate, tree }] of cuts.entries()) {
        const { found, trouble, goesOn } = yield* onDisk(new PowerDisk(tree), look)
        const said = `${call}, ${fate}`
        if (i >= during) assert.strictEqual(found, now, `done, ${said}`)
        else assert.include([old, now], found, said)
        assert.deepStrictEqual([trouble, goesOn], [[], true], said)
      }
    }),
  )

  it.effect("each folder is made durable in the one around it before anything is put into it", () =>
    Effect.gen(function* () {
      const disk = new PowerDisk(home)
      yield* onDisk(disk, persist({ a: "one" }))
      const calls = disk.calls.map((call) => call.replaceAll(stateDir, "STATE"))
      assert.deepStrictEqual(calls.slice(0, 12), [
        "flush /",
        "mkdir /home/new",
        "flush /home",
        "mkdir STATE",
        "flush /home/new",
        "mkdir STATE/sessions",
        "flush STATE",
        "mkdir STATE/sessions/main",
        "flush STATE/sessions",
        "mkdir STATE/sessions/main/embedded",
        "flush STATE/sessions/main",
        "create STATE/sessions/main/embedded/values.1.1.k3-draft",
      ])
    }),
  )
})

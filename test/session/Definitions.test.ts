/** C5 definitions are kept with their versions; with a state folder they survive restarts; a damaged one is set aside. */
import { describe, expect, it } from "vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isSound } from "../../src/define/definition.ts"
import { type Definition, Definitions, mostVersions } from "../../src/session/Definitions.ts"
import { limits } from "../../src/limits.ts"
import { Store } from "../../src/store/Store.ts"
import { someDefinition } from "../lib/documents.ts"
import { Faults } from "../lib/faultyFileSystem.ts"
import { scratch, stateFolder } from "../lib/stateFolder.ts"
import { until } from "../lib/waiting.ts"

const some = { ...someDefinition, code: "{(+/x)%#x}", parameters: [{ name: "values", type: "list of float", description: "numbers" }] }

/** Runs an effect as one server with the folder. */
const server = <A>(
  folder: string | null,
  body: (definitions: Definitions["Service"], disk: Store["Service"]) => Effect.Effect<A>,
  faults?: Faults,
): Effect.Effect<A> =>
  Effect.gen(function* () {
    return yield* body(yield* Definitions, yield* Store)
  }).pipe(Effect.provide(Layer.fresh(Definitions.layer(isSound)).pipe(Layer.provideMerge(stateFolder(folder, faults)))))

const run = <A>(body: (folder: string) => Effect.Effect<A>): Promise<A> =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(scratch, (folder) => body(join(folder, "state")))))

const code = (all: readonly Definition[]) => all.map((each) => each.code)

describe("C5", () => {
  it("versions count up; the next server has them; the files are readable for their owner only", () =>
    run((folder) =>
      Effect.gen(function* () {
        yield* server(folder, (definitions) =>
          Effect.gen(function* () {
            expect((yield* definitions.add(some))!.kept).toBe(true)
            expect((yield* definitions.add({ ...some, code: "{*x}", timeoutMs: 5, memory: 10 }))!.definition.version).toBe(2)
            yield* definitions.add({ ...some, name: "con" })
          }),
        )
        expect(statSync(join(folder, "definitions/kf_mean")).mode & 0o777).toBe(0o600)
        yield* server(folder, (definitions) =>
          Effect.gen(function* () {
            expect(definitions.known()).toBeUndefined()
            expect((yield* definitions.all).map(({ name, version }) => [name, version])).toEqual([
              ["con", 1],
              ["mean", 2],
            ])
            expect(definitions.known()).toEqual(yield* definitions.all)
            const [first, second] = yield* definitions.versions("mean")
            expect(first).toEqual({ ...some, version: 1, at: first!.at })
            expect(second).toMatchObject({ code: "{*x}", timeoutMs: 5, memory: 10 })
            expect(yield* definitions.remove("mean")).toBe(true)
            expect(yield* definitions.remove("mean")).toBe(false)
            expect((yield* definitions.add(some))!.definition.version).toBe(1)
            yield* definitions.remove("mean")
          }),
        )
        expect(readdirSync(join(folder, "definitions"))).toEqual(["kf_con"])
      }),
    ))

  it("reading makes no folder when nothing was defined", () =>
    run((folder) =>
      server(folder, (definitions) =>
        Effect.gen(function* () {
          expect(yield* definitions.all).toEqual([])
          expect(yield* definitions.versions("mean")).toEqual([])
          expect(yield* definitions.remove("mean")).toBe(false)
          expect(existsSync(folder)).toBe(false)
          yield* definitions.add(some)
          expect(existsSync(folder)).toBe(true)
        }),
      ),
    ))

  it("works without a folder", () =>
    Effect.runPromise(
      server(null, (definitions) =>
        Effect.gen(function* () {
          expect((yield* definitions.add(some))!.kept).toBe(true)
          expect(code(yield* definitions.all)).toEqual([some.code])
        }),
      ),
    ))

  it("`files` of earlier versions is read as `file read` and `file write`", () =>
    run((folder) =>
      Effect.gen(function* () {
        const touches = ["shell", "files"]
        yield* server(folder, (definitions) => definitions.add({ ...some, touches, ways: ["shell", "imp → files"] }))
        expect((yield* server(folder, ({ all }) => all))[0]).toMatchObject({
          touches: ["shell", "file read", "file write"],
          ways: ["shell", "imp → file read", "imp → file write"],
        })
      }),
    ))

  it("a function that earlier versions took for one that changes nothing is read with the global that it changes", () =>
    run((folder) =>
      Effect.gen(function* () {
        yield* server(folder, (definitions) => definitions.add({ ...some, code: "{a,:x}" }))
        expect((yield* server(folder, ({ all }) => all))[0]).toMatchObject({ assigns: ["a"] })
      }),
    ))

  it("names and versions are limited", () =>
    Effect.runPromise(
      server(null, (definitions) =>
        Effect.gen(function* () {
          for (let i = 0; i < limits.definitions; i++) yield* definitions.add({ ...some, name: `f${i}` })
          expect(yield* definitions.add(some)).toBeUndefined()
          for (let i = 0; i < mostVersions + 5; i++) yield* definitions.add({ ...some, name: "f0" })
          const versions = yield* definitions.versions("f0")
          expect(versions.length).toBe(mostVersions)
          expect(versions.at(-1)!.version).toBe(mostVersions + 6)
        }),
      ),
    ))

  it("listeners are called for each change, and for nothing else", () =>
    Effect.runPromise(
      server(null, (definitions) =>
        Effect.gen(function* () {
          let heard = 0
          definitions.listen(() => heard++)
          yield* definitions.add(some)
          yield* definitions.all
          yield* definitions.remove("other")
          expect(heard).toBe(1)
          yield* definitions.remove("mean")
          expect(heard).toBe(2)
        }),
      ),
    ))

  it.each([
    ["cut short", (text: string) => text.slice(0, -20)],
    ["damaged", (text: string) => text.replace("Mean", "Meam")],
    ["of a later version", (text: string) => text.replace("definition 1", "definition 9")],
    ["empty", () => ""],
  ])("a file that is %s is set aside and told of; the others are there", (_, spoil) =>
    run((folder) =>
      Effect.gen(function* () {
        yield* server(folder, (definitions) => Effect.andThen(definitions.add(some), definitions.add({ ...some, name: "other" })))
        const file = join(folder, "definitions/kf_mean")
        writeFileSync(file, spoil(readFileSync(file, "utf8")))
        yield* server(folder, (definitions, disk) =>
          Effect.gen(function* () {
            expect((yield* definitions.all).map(({ name }) => name)).toEqual(["other"])
            expect(disk.takeTrouble().join()).toContain("kf_mean")
            expect((yield* definitions.add(some))!.kept).toBe(true)
          }),
        )
        expect(readdirSync(join(folder, "definitions")).length).toBe(3)
      }),
    ),
  )

  it("a full disk is reported, and the tool is defined all the same", () =>
    run((folder) => {
      const faults = new Faults()
      return server(
        folder,
        (definitions) =>
          Effect.gen(function* () {
            yield* definitions.add(some)
            faults.failing.set("write", "ENOSPC")
            const added = yield* definitions.add({ ...some, code: "{*x}" })
            expect(added!.kept).toBe(false)
            expect(code(yield* definitions.all)).toEqual(["{*x}"])
          }),
        faults,
      )
    }))

  it("S30 a tool that a full disk refused is written when there is room again", () =>
    run((folder) => {
      const faults = new Faults()
      const file = join(folder, "definitions/kf_mean")
      const isWritten = Effect.sync(() => existsSync(file) && readFileSync(file, "utf8").includes("{*x}"))
      return server(
        folder,
        (definitions) =>
          Effect.gen(function* () {
            yield* definitions.add({ ...some, name: "other" })
            faults.failing.set("write", "ENOSPC")
            yield* definitions.add({ ...some, code: "{*x}" })
            yield* TestClock.adjust(60_000)
            expect(yield* isWritten).toBe(false)
            faults.failing.clear()
            yield* until(Effect.andThen(TestClock.adjust(60_000), isWritten))
          }),
        faults,
      ).pipe(Effect.provide(TestClock.layer()))
    }))
})

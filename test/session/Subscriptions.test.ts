/** N6 what a transport session watches is kept, within bounds, with a state folder and without one; a damaged document is set aside. */
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { make, type Subscriptions } from "../../src/session/Subscriptions.ts"
import { scratch, stateFolder } from "../lib/stateFolder.ts"

/** Runs an effect as one server with the folder. */
const server = <A>(folder: string | null, body: (subscriptions: Subscriptions) => Effect.Effect<A>): Effect.Effect<A> =>
  Effect.scoped(Effect.flatMap(make, body)).pipe(Effect.provide(stateFolder(folder)))

const run = (body: (folder: string) => Effect.Effect<unknown>): Promise<unknown> =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(scratch, (folder) => body(join(folder, "state")))))

const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`

it("N6 the next server has them, until none are left; an unknown transport session has none and leaves no trace", () =>
  run((folder) =>
    Effect.gen(function* () {
      yield* server(folder, ({ revive, keep }) => Effect.andThen(revive(id(1)), keep(id(1), [])))
      expect(existsSync(folder)).toBe(false)
      yield* server(folder, ({ keep }) => Effect.andThen(keep(id(1), ["k3://a"]), keep(id(1), ["k3://a", "k3://b"])))
      expect(yield* server(folder, ({ revive }) => Effect.all([revive(id(1)), revive(id(2))]))).toEqual([["k3://a", "k3://b"], []])
      yield* server(folder, ({ keep }) => keep(id(1), []))
      expect(readdirSync(join(folder, "subscriptions"))).toEqual([])
      yield* server(folder, ({ keep }) => keep(id(1), ["k3://a"]))
      writeFileSync(join(folder, "subscriptions", id(1).replaceAll("-", "")), "{")
      expect(yield* server(folder, ({ revive }) => revive(id(1)))).toEqual([])
    }),
  ))

it("N6 without a state folder this server has them, and the next one has not", () =>
  run(() =>
    Effect.gen(function* () {
      expect(yield* server(null, ({ revive, keep }) => Effect.andThen(keep(id(1), ["k3://a"]), revive(id(1))))).toEqual(["k3://a"])
      expect(yield* server(null, ({ revive }) => revive(id(1)))).toEqual([])
    }),
  ))

it("N6 those of 200 transport sessions are kept, and of each the newest 32 KiB", () =>
  run(() =>
    server(null, ({ revive, keep }) =>
      Effect.gen(function* () {
        const long = Array.from({ length: 40 }, (_, n) => `${n}`.padStart(1024))
        yield* keep(id(0), long)
        expect(yield* revive(id(0))).toEqual(long.slice(-32))
        for (let n = 1; n < 200; n++) yield* keep(id(n), ["k3://a"])
        yield* TestClock.adjust(1)
        yield* revive(id(0))
        yield* keep(id(200), ["k3://a"])
        const left = yield* Effect.filter(
          Array.from({ length: 201 }, (_, n) => n),
          (n) => Effect.map(revive(id(n)), ({ length }) => length > 0),
        )
        expect([left.length, left[0]]).toEqual([200, 0])
      }),
    ).pipe(Effect.provide(TestClock.layer())),
  ))

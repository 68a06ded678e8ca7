/** S29 the cache over small documents: numbered ones are kept up to a number, whatever numbers were left out. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as DocumentCache from "../../src/store/DocumentCache.ts"
import { Store } from "../../src/store/Store.ts"
import { asServer, scratch } from "../lib/stateFolder.ts"

it.effect("S29 the latest numbers are kept, in memory and in the next server, with gaps between them", () =>
  Effect.gen(function* () {
    const server = asServer(yield* scratch)
    const make = Effect.flatMap(Store, ({ evaluations }) =>
      DocumentCache.make<string>({
        documents: evaluations,
        name: "a line",
        decode: (_, [line]) => line,
        encode: (line) => [line],
        join: (_, key, own) => [key, own],
        most: 3,
      }),
    )
    const keys = (all: ReadonlyMap<string, string>) => Effect.succeed([...all.keys()].sort((a, b) => Number(a) - Number(b)))
    yield* server(
      Effect.gen(function* () {
        const { use, save } = yield* make
        for (const n of [1, 2, 9, 30, 100]) yield* use(() => save(String(n), `line ${n}`))
        assert.deepStrictEqual(yield* use(keys), ["9", "30", "100"])
      }),
    )
    assert.deepStrictEqual(yield* server(Effect.flatMap(make, ({ use }) => use(keys))), ["9", "30", "100"])
  }),
)

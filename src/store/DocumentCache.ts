/**
 * All documents of one kind, in memory: read from the store when first asked for, and again when it was taken over from another server.
 *
 * Guarantees: one operation at a time; a document that is damaged is set aside; one that could not be written is there all the same, and is
 * joined to what the store has when that is taken over, and written once more when the scope closes. Does not: open the store for a reader
 * where nothing was ever kept.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { type DocumentStore, Store } from "./Store.ts"

interface Kind<A> {
  readonly documents: DocumentStore
  /** Completes "it does not read as … should". */
  readonly name: string
  /** Undefined when it is damaged. */
  readonly decode: (key: string, lines: readonly string[]) => A | undefined
  readonly encode: (document: A) => readonly string[]
  /** What a document that is in memory alone becomes beside those that the store has. */
  readonly join: (kept: ReadonlyMap<string, A>, key: string, own: A) => readonly [key: string, document: A]
  /** Keys are numbers, and the lowest beyond so many are removed. */
  readonly most?: number
}

/** Documents that say by which number they are kept, as JSON. */
export const numbered = <A extends { readonly n: number }>(schema: Schema.Codec<A>): Pick<Kind<A>, "decode" | "encode"> => {
  const decode = Schema.decodeUnknownOption(Schema.fromJsonString(schema))
  return {
    decode: (key, lines) => {
      const found = Option.getOrUndefined(decode(lines.join("")))
      return String(found?.n) === key ? found : undefined
    },
    encode: (document) => [JSON.stringify(document)],
  }
}

export const make = <A>({ documents, name, decode, encode, join, most = Infinity }: Kind<A>) =>
  Effect.gen(function* () {
    const { available, takeovers, takenOver, place } = yield* Store
    const turn = yield* Semaphore.make(1)
    let all: Map<string, A> | undefined
    /** How often the store had been taken over when it was read. */
    let readAfter = 0
    /** Keys of those in memory alone. */
    const unsaved = new Set<string>()

    const inTurn = <B, E>(effect: Effect.Effect<B, E>): Effect.Effect<B, E> => turn.withPermit(Effect.uninterruptible(effect))

    const remove = (key: string): Effect.Effect<unknown> =>
      Effect.suspend(() => {
        all?.delete(key)
        unsaved.delete(key)
        return documents.remove(key)
      })

    const save = Effect.fnUntraced(function* (key: string, document: A) {
      all!.set(key, document)
      const isSaved = yield* documents.save(key, encode(document))
      if (isSaved) unsaved.delete(key)
      else unsaved.add(key)
      if (all!.size > most) for (const old of [...all!.keys()].sort((a, b) => Number(a) - Number(b)).slice(0, -most)) yield* remove(old)
      return isSaved
    })

    const read = Effect.gen(function* () {
      const found = new Map<string, A>()
      for (const key of yield* documents.keys) {
        const lines = yield* documents.load(key)
        const document = lines && decode(key, lines)
        if (document !== undefined) found.set(key, document)
        else if (lines !== undefined) yield* documents.setAside(key, `is damaged: it does not read as ${name} should`)
      }
      return found
    })

    const loaded = Effect.gen(function* () {
      // This may take it over.
      yield* available
      if (all !== undefined && readAfter === takeovers()) return all
      readAfter = takeovers()
      const own = [...unsaved].map((key) => [key, all!.get(key)!] as const)
      all = yield* read
      unsaved.clear()
      for (const [key, document] of own) yield* save(...join(all, key, document))
      return all
    })

    const seen = Effect.suspend(() =>
      all === undefined ? Effect.flatMap(documents.mayHaveAny, (may) => (may ? loaded : Effect.succeed(new Map<string, A>()))) : loaded,
    )

    const writeAgain = Effect.suspend(() => Effect.forEach(unsaved, (key) => save(key, all!.get(key)!), { discard: true }))
    yield* takenOver.pipe(Effect.andThen(inTurn(loaded)), Effect.forever, Effect.forkScoped)
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => (unsaved.size === 0 || place === null ? Effect.void : inTurn(Effect.andThen(loaded, writeAgain)))),
    )

    return {
      /** Without waiting; undefined until they were read once. */
      known: (): ReadonlyMap<string, A> | undefined => all,
      /** Does this with all there are; opens the store, to write. */
      use: <B, E>(effect: (all: ReadonlyMap<string, A>) => Effect.Effect<B, E>): Effect.Effect<B, E> =>
        inTurn(Effect.flatMap(loaded, effect)),
      /** Does this with all there are, of which there may be none without the store being opened. */
      peek: <B, E>(effect: (all: ReadonlyMap<string, A>) => Effect.Effect<B, E>): Effect.Effect<B, E> =>
        inTurn(Effect.flatMap(seen, effect)),
      /** Inside `use` alone; true when it is in the store. */
      save,
      /** Inside `use` or `peek` alone. */
      remove,
    }
  })

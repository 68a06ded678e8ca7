/**
 * All documents of one kind, in memory. They are read from the store on first use, and again after a takeover of the store.
 *
 * Guarantees: one operation runs at a time. A damaged document is set aside. A document that could not be written stays in memory; it is joined
 * to the stored ones after a takeover, at once when the takeover refused the write. A refused write or removal is retried, and made once more
 * when the scope closes; a removal only while the store has the document as it was. Does not: open the store for a reader when nothing was ever
 * stored.
 */
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { afterTakeover, type DocumentStore, Store, makeRetry } from "./Store.ts"

interface Kind<A> {
  readonly documents: DocumentStore
  /** The kind in words, which completes "it does not read as … should". */
  readonly name: string
  /** Undefined for a damaged document. */
  readonly decode: (key: string, lines: readonly string[]) => A | undefined
  readonly encode: (document: A) => readonly string[]
  /** The key and content under which a document that is only in memory joins the stored ones; as they are without it. */
  readonly join?: (kept: ReadonlyMap<string, A>, key: string, own: A) => readonly [key: string, document: A]
  /** For keys that are numbers: the most documents to keep. The lowest keys beyond it are removed. */
  readonly most?: number
}

interface DocumentCache<A> {
  /** The documents, without reading the store. Undefined until they were read once. */
  readonly known: () => ReadonlyMap<string, A> | undefined
  /** Runs an effect with all documents, as they are at any time. Opens the store, so it may write. */
  readonly use: <B, E>(effect: (all: ReadonlyMap<string, A>) => Effect.Effect<B, E>) => Effect.Effect<B, E>
  /** Runs an effect with all documents. Does not open the store when nothing was ever stored. */
  readonly peek: <B, E>(effect: (all: ReadonlyMap<string, A>) => Effect.Effect<B, E>) => Effect.Effect<B, E>
  /** Saves a document; only inside `use`, and inside `peek` if it showed the document. True when the store has it, as `join` may have made it. */
  readonly save: (key: string, document: A) => Effect.Effect<boolean>
  /** Removes a document; only inside `use` or `peek`. */
  readonly remove: (key: string) => Effect.Effect<unknown>
}

/** The encoding of documents as JSON whose field `n` is their key. */
export const numbered = <A extends { readonly n: number }>(schema: Schema.Codec<A>): Pick<Kind<A>, "decode" | "encode"> => {
  const decode = Schema.decodeUnknownOption(Schema.fromJsonString(schema))
  return {
    decode: (key, lines) => Option.getOrUndefined(Option.filter(decode(lines.join("")), ({ n }) => String(n) === key)),
    encode: (document) => [JSON.stringify(document)],
  }
}

/** How often a document is written at once when another server wrote it meanwhile. */
const mostTurns = 5

/** Reads all documents. Damaged ones are set aside. */
const readAll = Effect.fnUntraced(function* <A>({ documents, name, decode }: Kind<A>) {
  const found = new Map<string, A>()
  for (const key of yield* documents.keys) {
    const lines = yield* documents.load(key)
    const document = lines && decode(key, lines)
    if (document !== undefined) found.set(key, document)
    else if (lines !== undefined) yield* documents.setAside(key, `is damaged: it does not read as ${name} should`)
  }
  return found
})

export const make = Effect.fnUntraced(function* <A>(kind: Kind<A>): Effect.fn.Return<DocumentCache<A>, never, Store | Scope.Scope> {
  const { documents, encode, join = (_, key, own) => [key, own], most = Infinity } = kind
  const { available, takeovers, place } = yield* Store
  const lock = yield* Semaphore.make(1)
  let all: Map<string, A> | undefined
  /** The documents that the store has, as far as it confirmed. */
  let stored = new Map<string, A>()
  /** Number of takeovers at the latest reading. */
  let readAfter = 0
  /** Keys of the documents that differ in the store. */
  const differing = () => [...new Set([...(all?.keys() ?? []), ...stored.keys()])].filter((key) => all?.get(key) !== stored.get(key))

  const locked = <B, E>(effect: Effect.Effect<B, E>): Effect.Effect<B, E> => lock.withPermit(Effect.uninterruptible(effect))

  const remove = Effect.fnUntraced(function* (key: string) {
    all?.delete(key)
    if (yield* documents.remove(key)) stored.delete(key)
    else if (stored.has(key)) yield* retryLater
  })

  const write = Effect.fnUntraced(function* (key: string, document: A) {
    all!.set(key, document)
    const isSaved = yield* documents.save(key, encode(document))
    if (isSaved) stored.set(key, document)
    else yield* retryLater
    if (all!.size > most) for (const old of [...all!.keys()].sort((a, b) => Number(a) - Number(b)).slice(0, -most)) yield* remove(old)
    return isSaved
  })

  const loaded = Effect.gen(function* () {
    // `available` may take over the store.
    yield* available
    if (all !== undefined && readAfter === takeovers()) return all
    readAfter = takeovers()
    const own = differing().map((key) => ({ key, document: all!.get(key), before: stored.get(key) }))
    stored = yield* readAll(kind)
    // The same map: the effect that saves may go on with it.
    all ??= new Map()
    all.clear()
    for (const [key, document] of stored) all.set(key, document)
    for (const { key, document, before } of own)
      if (document !== undefined) yield* write(...join(all, key, document))
      else if (!stored.has(key)) {
        // Gone, or this reading failed, and the store may have a later version: the retry reads again before it removes.
        stored.set(key, before!)
        yield* retryLater
      } else if (Equal.equals(stored.get(key), before)) yield* remove(key)
    return all
  })

  const save = Effect.fnUntraced(function* (key: string, document: A) {
    let isSaved = yield* write(key, document)
    for (let turns = mostTurns; !isSaved && readAfter !== takeovers() && turns > 0; turns--) {
      yield* loaded
      isSaved = all!.get(key) === stored.get(key)
    }
    return isSaved
  })

  const seen = Effect.suspend(() =>
    all === undefined ? Effect.flatMap(documents.mayHaveAny, (may) => (may ? loaded : Effect.succeed(new Map<string, A>()))) : loaded,
  )

  const writeOne = Effect.fnUntraced(function* (key: string) {
    const document = (yield* loaded).get(key)
    if (document !== stored.get(key)) yield* document === undefined ? remove(key) : save(key, document)
  })
  /** Takes the lock for each document anew, so that a client waits for one write, not for all. */
  const writeUnsaved: Effect.Effect<void> = Effect.suspend(() =>
    Effect.forEach(differing(), (key) => locked(writeOne(key)), { discard: true }),
  )
  // Added before the fibers, so it runs after their end.
  if (place !== null) yield* Effect.addFinalizer(() => writeUnsaved)
  const retryLater = yield* makeRetry(writeUnsaved)
  yield* afterTakeover(locked(loaded))

  return {
    known: () => all,
    use: (effect) => locked(Effect.flatMap(loaded, effect)),
    peek: (effect) => locked(Effect.flatMap(seen, effect)),
    save,
    remove,
  }
})

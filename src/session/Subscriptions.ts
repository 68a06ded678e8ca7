/**
 * The addresses that clients of the legacy era watch over HTTP, by transport session, so that a revived transport session has them again.
 *
 * Guarantees: with a store, the addresses survive a restart of the server; without a store, they last as long as the server. The addresses of the
 * `most` transport sessions that were revived or changed last are kept, up to `mostCharacters` for each. Does not: check an address, or notice a
 * client that leaves without ending its transport session.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as DocumentCache from "../store/DocumentCache.ts"
import { Store } from "../store/Store.ts"

const most = 200
const mostCharacters = 32 * 1024

const Watched = Schema.Struct({
  /** The last change or revival, ms since 1970. */
  at: Schema.Finite,
  addresses: Schema.Array(Schema.String),
})
type Watched = typeof Watched.Type
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Watched))

/** `transport`: the id of a transport session, a UUID. */
export interface Subscriptions {
  /** The kept addresses, the oldest first; empty for an unknown transport session. */
  readonly revive: (transport: string) => Effect.Effect<readonly string[]>
  /** Replaces the kept addresses; an empty list forgets the transport session. */
  readonly keep: (transport: string, addresses: readonly string[]) => Effect.Effect<void>
}

export const make = Effect.gen(function* () {
  const documents = yield* DocumentCache.make<Watched>({
    documents: (yield* Store).documents.subscriptions,
    name: "the subscriptions of a client",
    decode: (_, [line = ""]) => Option.getOrUndefined(decode(line)),
    encode: (watched) => [JSON.stringify(watched)],
    join: (kept, key, own) => [key, latest(kept.get(key), own)],
  })

  const save = Effect.fnUntraced(function* (all: ReadonlyMap<string, Watched>, key: string, addresses: readonly string[]) {
    if (!all.has(key) && all.size >= most) yield* documents.remove(eldest(all))
    yield* documents.save(key, { at: yield* Clock.currentTimeMillis, addresses })
  })

  const revive: Subscriptions["revive"] = (transport) =>
    documents.peek((all) => {
      const key = keyOf(transport)
      const addresses = all.get(key)?.addresses ?? []
      return addresses.length === 0 ? Effect.succeed([]) : Effect.as(save(all, key, addresses), addresses)
    })
  const keep: Subscriptions["keep"] = (transport, addresses) => {
    const key = keyOf(transport)
    if (addresses.length > 0) return documents.use((all) => save(all, key, within(addresses)))
    return documents.peek((all) => (all.has(key) ? Effect.asVoid(documents.remove(key)) : Effect.void))
  }
  return { revive, keep } satisfies Subscriptions
})

const latest = (one: Watched | undefined, other: Watched): Watched => (one !== undefined && one.at > other.at ? one : other)

const keyOf = (transport: string): string => transport.replaceAll("-", "")

const eldest = (all: ReadonlyMap<string, Watched>): string => [...all].reduce((one, other) => (other[1].at < one[1].at ? other : one))[0]

/** The newest addresses, as many as there is room for. */
const within = (addresses: readonly string[]): readonly string[] => {
  let left = mostCharacters
  const isOver = (address: string): boolean => (left -= address.length) < 0
  return addresses.slice(addresses.findLastIndex(isOver) + 1)
}

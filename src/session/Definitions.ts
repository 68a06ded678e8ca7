/**
 * The tools that were made of K functions, of the whole server: a name each, with all its versions.
 * Stored is a line for each version, the oldest first, each a `Definition` as JSON.
 *
 * Guarantees: what was defined is there in the next server where there is a store, and in this one in any case; what another server kept in
 * a store that is taken over is there too, under its versions, and what was defined here meanwhile follows as later ones; a file that is damaged, or whose definition would not be taken today, is set aside and told of; names, versions and text are limited. Does not: know
 * what K makes of the code, or run it.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { limits, namePattern } from "../limits.ts"
import { Store } from "../store/Store.ts"

const Parameter = Schema.Struct({
  name: Schema.String,
  /** As the caller wrote it. */
  type: Schema.String,
  description: Schema.optionalKey(Schema.String),
})
export type Parameter = typeof Parameter.Type

const Example = Schema.Struct({ arguments: Schema.Record(Schema.String, Schema.Unknown), result: Schema.Unknown })
/** A call, and what it gives. */
export type Example = typeof Example.Type

const Definition = Schema.Struct({
  /** Without the prefix that its tool has. */
  name: Schema.String,
  /** From 1. */
  version: Schema.Int.check(Schema.isGreaterThan(0)),
  /** ms since 1970. */
  at: Schema.Finite,
  description: Schema.String,
  /** A function of K, in braces. */
  code: Schema.String,
  parameters: Schema.Array(Parameter),
  /** Where it was defined, and runs. */
  session: Schema.String.check(Schema.isPattern(namePattern)),
  /** What it may do, as its text told. */
  touches: Schema.Array(Schema.String),
  assigns: Schema.Array(Schema.String),
  unknown: Schema.Array(Schema.String),
  /** What it uses, and of `touches`, each with the way that leads there; absent in what earlier versions wrote. */
  uses: Schema.optionalKey(Schema.Array(Schema.String)),
  ways: Schema.optionalKey(Schema.Array(Schema.String)),
  examples: Schema.optionalKey(Schema.Array(Example).check(Schema.isMaxLength(limits.examples))),
  timeoutMs: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThan(0))),
  /** Bytes. */
  memory: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThan(0))),
})
export type Definition = typeof Definition.Type
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Definition))

export const mostVersions = 20

export class Definitions extends Context.Service<
  Definitions,
  {
    /** The newest version of each, by name. */
    readonly all: Effect.Effect<readonly Definition[]>
    /** The same without waiting; undefined until they were read once. */
    readonly known: () => readonly Definition[] | undefined
    /** All that is kept of one, the oldest first; empty when there is none of that name. */
    readonly versions: (name: string) => Effect.Effect<readonly Definition[]>
    /** Adds a version; undefined when there are too many names. `kept`: it is on disk, where anything is to be. */
    readonly add: (
      definition: Omit<Definition, "version" | "at">,
    ) => Effect.Effect<{ readonly definition: Definition; readonly kept: boolean } | undefined>
    /** All versions of it; false when there is none of that name. */
    readonly remove: (name: string) => Effect.Effect<boolean>
    /** Calls the listener from now on when a tool was added, changed or removed. */
    readonly listen: (listener: () => void) => void
  }
>()("k3-mcp/session/Definitions") {
  /** `isSound`: does it keep the rules by which a definition is taken? */
  static readonly layer = (isSound: (definition: Definition) => boolean) =>
    Layer.effect(
      Definitions,
      Effect.gen(function* () {
        const store = yield* Store
        const { definitions: stored, place } = store
        const turn = yield* Semaphore.make(1)
        const listeners: (() => void)[] = []
        let defined: Map<string, readonly Definition[]> | undefined
        let newestNow: readonly Definition[] | undefined
        /** Names whose newest version is in memory alone. */
        const unsaved = new Set<string>()
        /** How often the store had been taken over when it was read. */
        let readAfter = 0

        const readOne = Effect.fnUntraced(function* (name: string) {
          const lines = yield* stored.load(name)
          if (lines === undefined) return []
          const versions = lines.map((line) => Option.getOrUndefined(decode(line)))
          if (
            lines.length > 0 &&
            versions.every((each, i) => each?.name === name && isSound(each) && each.version > (versions[i - 1]?.version ?? 0))
          )
            return versions as readonly Definition[]
          yield* stored.setAside(name, "is damaged: it does not read as the definition of a tool should")
          return []
        })

        const read = Effect.gen(function* () {
          const found = new Map<string, readonly Definition[]>()
          for (const name of yield* stored.keys) {
            const versions = yield* readOne(name)
            if (versions.length > 0) found.set(name, versions)
          }
          return found
        })
        const write = (name: string, versions: readonly Definition[]) =>
          Effect.map(
            stored.save(
              name,
              versions.map((each) => JSON.stringify(each)),
            ),
            (kept) => {
              if (kept) unsaved.delete(name)
              else unsaved.add(name)
              return kept
            },
          )
        /** What the store has, and behind it what is in memory alone. */
        const readAgain = Effect.gen(function* () {
          yield* store.available
          readAfter = store.takeovers()
          const found = yield* read
          for (const name of unsaved) {
            const versions = joined(found.get(name) ?? [], defined?.get(name) ?? [])
            found.set(name, versions)
            yield* write(name, versions)
          }
          newestNow = newest(found)
          return (defined = found)
        })
        const loaded = Effect.suspend(() =>
          defined === undefined || readAfter !== store.takeovers() ? readAgain : Effect.succeed(defined),
        )
        /** A host asks for the tools at every start: where nothing was ever defined, that opens no folder. */
        const seen = Effect.gen(function* () {
          return defined === undefined && !(yield* stored.mayHaveAny) ? new Map<string, readonly Definition[]>() : yield* loaded
        })
        const inTurn = <A>(effect: Effect.Effect<A>) => turn.withPermit(Effect.uninterruptible(effect))
        const tell = Effect.sync(() => {
          newestNow = newest(defined!)
          for (const listener of listeners) listener()
        })
        yield* store.takenOver.pipe(Effect.andThen(inTurn(Effect.andThen(loaded, tell))), Effect.forever, Effect.forkScoped)
        yield* Effect.addFinalizer(() => inTurn(Effect.suspend(() => (unsaved.size > 0 && place !== null ? readAgain : Effect.void))))

        return Definitions.of({
          all: inTurn(Effect.map(seen, newest)),
          known: () => newestNow,
          versions: (name) => inTurn(Effect.map(seen, (all) => all.get(name) ?? [])),
          add: (given) =>
            inTurn(
              Effect.gen(function* () {
                // This may take it over.
                yield* store.available
                const all = yield* loaded
                const before = all.get(given.name) ?? []
                if (before.length === 0 && all.size >= limits.definitions) return undefined
                const definition = { ...given, version: (before.at(-1)?.version ?? 0) + 1, at: yield* Clock.currentTimeMillis }
                const versions = [...before, definition].slice(-mostVersions)
                all.set(given.name, versions)
                const kept = yield* write(given.name, versions)
                yield* tell
                return { definition, kept: kept || place === null }
              }),
            ),
          remove: (name) =>
            inTurn(
              Effect.gen(function* () {
                if (!(yield* seen).delete(name)) return false
                yield* stored.remove(name)
                unsaved.delete(name)
                yield* tell
                return true
              }),
            ),
          listen: (listener) => void listeners.push(listener),
        })
      }),
    )
}

/** Versions of one name: those of `own` that `kept` lacks become later ones. */
const joined = (kept: readonly Definition[], own: readonly Definition[]): readonly Definition[] => {
  const last = kept.at(-1)
  if (last === undefined) return own
  const added = own.filter((each) => !kept.some(({ at, code }) => at === each.at && code === each.code))
  return [...kept, ...Array.from(added, (each, i) => ({ ...each, version: last.version + i + 1 }))].slice(-mostVersions)
}

const newest = (all: ReadonlyMap<string, readonly Definition[]>): readonly Definition[] =>
  [...all.values()].map((versions) => versions.at(-1)!).sort((a, b) => (a.name < b.name ? -1 : 1))

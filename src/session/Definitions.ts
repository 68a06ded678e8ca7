/**
 * The tools made of K functions, for the whole server. Each has a name and several versions. A stored document has a line for each version,
 * the oldest first; a line is a `Definition` as JSON.
 *
 * Guarantees: with a store, definitions survive a restart; without one they last as long as the server. After a takeover of the store, the
 * definitions of this server become later versions than those of the other server. A stored definition that breaks today's rules is set aside
 * as damaged. Names and versions are limited in number. Does not: parse or run the code.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { factsOf } from "../child/engines/functionText.ts"
import { limits, namePattern } from "../limits.ts"
import * as DocumentCache from "../store/DocumentCache.ts"
import { afterTakeover, Store } from "../store/Store.ts"

const Parameter = Schema.Struct({
  name: Schema.String,
  /** The type in the words of the caller. */
  type: Schema.String,
  description: Schema.optionalKey(Schema.String),
})
export type Parameter = typeof Parameter.Type

const CallExample = Schema.Struct({ arguments: Schema.Record(Schema.String, Schema.Unknown), result: Schema.Unknown })
/** Arguments of a call, and its result. */
export type CallExample = typeof CallExample.Type

const Definition = Schema.Struct({
  /** Without the prefix of its tool's name. */
  name: Schema.String,
  /** Number of the version, from 1. */
  version: Schema.Int.check(Schema.isGreaterThan(0)),
  /** ms since 1970. */
  at: Schema.Finite,
  description: Schema.String,
  /** A K function in braces. */
  code: Schema.String,
  parameters: Schema.Array(Parameter),
  /** The session in which the function was defined and runs. */
  session: Schema.String.check(Schema.isPattern(namePattern)),
  /** Effects on the world that its text allows, such as `file read`. */
  touches: Schema.Array(Schema.String),
  assigns: Schema.Array(Schema.String),
  unknown: Schema.Array(Schema.String),
  /** The names it uses, and the calls that lead to each effect of `touches`. Both are absent in definitions of earlier versions. */
  uses: Schema.optionalKey(Schema.Array(Schema.String)),
  ways: Schema.optionalKey(Schema.Array(Schema.String)),
  examples: Schema.optionalKey(Schema.Array(CallExample).check(Schema.isMaxLength(limits.examples))),
  timeoutMs: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThan(0))),
  /** Bytes. */
  memory: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThan(0))),
})
export type Definition = typeof Definition.Type
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Definition))

/** Replaces `files`, which earlier versions wrote for both `file read` and `file write`. */
const withoutFiles = (touches: readonly string[]): readonly string[] =>
  touches.flatMap((way) => (/(?:^|→ )files$/.test(way) ? ["read", "write"].map((what) => way.replace(/files$/, `file ${what}`)) : [way]))
const asToday = (definition: Definition): Definition => ({
  ...definition,
  touches: withoutFiles(definition.touches),
  // Earlier versions did not see that `{a,:x}` changes a global.
  assigns: [...new Set([...definition.assigns, ...factsOf(definition.code).assigns])],
  ...(definition.ways !== undefined && { ways: withoutFiles(definition.ways) }),
})

export const mostVersions = 20

export class Definitions extends Context.Service<
  Definitions,
  {
    /** The newest version of each definition, sorted by name. */
    readonly all: Effect.Effect<readonly Definition[]>
    /** As `all`, without reading the store. Undefined until the definitions were read once. */
    readonly known: () => readonly Definition[] | undefined
    /** All kept versions of a definition, the oldest first. Empty for an unknown name. */
    readonly versions: (name: string) => Effect.Effect<readonly Definition[]>
    /** Adds a version. Undefined when there are too many names. `kept` is false when the store failed to save it. */
    readonly add: (
      definition: Omit<Definition, "version" | "at">,
    ) => Effect.Effect<{ readonly definition: Definition; readonly kept: boolean } | undefined>
    /** Removes all versions of a definition. False for an unknown name. */
    readonly remove: (name: string) => Effect.Effect<boolean>
    /** Registers a listener, which is called after each addition, change or removal. */
    readonly listen: (listener: () => void) => void
  }
>()("k3-mcp/session/Definitions") {
  /** `isSound`: whether a stored definition keeps the rules for new definitions. */
  static readonly layer = (isSound: (definition: Definition) => boolean) =>
    Layer.effect(
      Definitions,
      Effect.gen(function* () {
        const { documents: stored, place } = yield* Store
        const listeners: (() => void)[] = []
        const documents = yield* DocumentCache.make<readonly Definition[]>({
          documents: stored.definitions,
          name: "the definition of a tool",
          decode: (name, lines) => {
            const versions = lines.map((line) => Option.getOrUndefined(Option.map(decode(line), asToday)))
            const isWhole = (each: Definition | undefined, i: number): each is Definition =>
              each?.name === name && isSound(each) && each.version > (versions[i - 1]?.version ?? 0)
            return versions.length > 0 && versions.every(isWhole) ? versions : undefined
          },
          encode: (versions) => versions.map((each) => JSON.stringify(each)),
          join: (kept, name, own) => [name, joined(kept.get(name) ?? [], own)],
        })
        const tell = Effect.sync(() => {
          for (const listener of listeners) listener()
        })
        yield* afterTakeover(documents.use(() => tell))

        return Definitions.of({
          all: documents.peek((all) => Effect.succeed(newest(all))),
          known: () => {
            const all = documents.known()
            return all && newest(all)
          },
          versions: (name) => documents.peek((all) => Effect.succeed(all.get(name) ?? [])),
          add: (given) =>
            documents.use(
              Effect.fnUntraced(function* (all) {
                const before = all.get(given.name) ?? []
                if (before.length === 0 && all.size >= limits.definitions) return undefined
                const own = { ...given, version: (before.at(-1)?.version ?? 0) + 1, at: yield* Clock.currentTimeMillis }
                const kept = yield* documents.save(given.name, [...before, own].slice(-mostVersions))
                yield* tell
                // Another server may have taken the number meanwhile.
                return { definition: all.get(given.name)!.at(-1)!, kept: kept || place === null }
              }),
            ),
          remove: (name) =>
            documents.peek((all) =>
              all.has(name) ? documents.remove(name).pipe(Effect.andThen(tell), Effect.as(true)) : Effect.succeed(false),
            ),
          listen: (listener) => void listeners.push(listener),
        })
      }),
    )
}

/** Joins versions of one name: versions of `own` that `kept` lacks become later versions. */
const joined = (kept: readonly Definition[], own: readonly Definition[]): readonly Definition[] => {
  const last = kept.at(-1)
  if (last === undefined) return own
  const added = own.filter((each) => !kept.some(({ at, code }) => at === each.at && code === each.code))
  return [...kept, ...Array.from(added, (each, i) => ({ ...each, version: last.version + i + 1 }))].slice(-mostVersions)
}

const newest = (all: ReadonlyMap<string, readonly Definition[]>): readonly Definition[] =>
  [...all.values()].map((versions) => versions.at(-1)!).sort((a, b) => (a.name < b.name ? -1 : 1))

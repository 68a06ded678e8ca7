/**
 * Documents in the database. They belong to the space; every machine reads and writes them.
 *
 * Guarantees: `save` does not replace a version that this process has not seen; it returns false, and `takeovers` grows, so that the
 * documents are read again. Does not: protect a document from `remove`, which removes any version.
 */
import * as Effect from "effect/Effect"
import type { DocumentKind } from "../documentKinds.ts"
import { sealed, unsealed } from "../sealed.ts"
import type { DocumentStore } from "../Store.ts"
import { joined } from "./contents.ts"
import { Overtaken } from "./problems.ts"
import type { Space } from "./Space.ts"

export const make = ({ name: kind, key: pattern, form }: DocumentKind, space: Space): DocumentStore => {
  const { sql, rows, reading, writingDocument } = space
  const thing = (key: string) => ({ session: "", kind, name: key }) as const
  const what = (key: string): string => `${form.kind} ${key}`
  const missed = Effect.sync(() => {
    space.missedDocuments()
    return undefined
  })
  /** For each key, the version that this process read or wrote last. */
  const seen = new Map<string, string>()

  const setAside = (key: string, why: string): Effect.Effect<boolean> =>
    Effect.map(space.setAside(what(key), why, undefined, sql`${rows.where("", kind)} AND name = ${key}`), (done) => {
      if (done) seen.delete(key)
      return done
    })

  return {
    mayHaveAny: Effect.map(reading(`the ${kind}`, undefined, rows.names("", kind)), (names) => names === undefined || names.length > 0),
    keys: Effect.flatMap(reading(`the ${kind}`, undefined, rows.names("", kind)), (names) =>
      names === undefined ? Effect.as(missed, []) : Effect.succeed(names.filter((name) => pattern.test(name))),
    ),
    load: Effect.fnUntraced(function* (key) {
      const parts = yield* reading(what(key), undefined, rows.parts(thing(key)))
      if (parts === undefined) return yield* missed
      if (parts.length === 0) return undefined
      const lines = yield* unsealed(form, joined(parts.map(({ content }) => content)))
      if (lines._tag === "Success") {
        seen.set(key, parts[0]!.version)
        return lines.success
      }
      yield* setAside(key, lines.failure)
      return undefined
    }),
    save: (key, lines) => {
      const version = crypto.randomUUID()
      return Effect.map(
        writingDocument(
          what(key),
          Effect.gen(function* () {
            const there = yield* rows.versionOf(thing(key))
            if (there === version) return 0
            if (there !== undefined && there !== seen.get(key)) return yield* new Overtaken()
            // If another machine writes the document now, its rows stay, and `add` fails with a unique violation, which becomes `Overtaken`.
            const gone = there === undefined ? 0 : yield* rows.remove("", kind, [key], there)
            return (yield* rows.add(thing(key), version, sealed(form, lines))) - gone
          }),
        ),
        (done) => {
          if (done) seen.set(key, version)
          return done
        },
      )
    },
    remove: (key) =>
      Effect.map(
        writingDocument(
          what(key),
          Effect.map(rows.remove("", kind, [key]), (gone) => -gone),
        ),
        (done) => {
          if (done) seen.delete(key)
          return done
        },
      ),
    setAside: (key, why) => Effect.asVoid(setAside(key, why)),
  }
}

/**
 * Documents in the database. They belong to the space; every machine reads and writes them.
 *
 * Guarantees: `save` does not replace a version that this process has not seen; it returns false, and `takeovers` grows, so that the
 * documents are read again. Does not: protect a document from `remove`, which removes any version.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { DocumentKind } from "../documentKinds.ts"
import { sealed } from "../sealed.ts"
import type { DocumentStore } from "../Store.ts"
import { Overtaken } from "./problems.ts"
import { type SqlSpace, whenWritten } from "./SqlSpace.ts"

export const make = ({ name: kind, key: pattern, form }: DocumentKind, space: SqlSpace): DocumentStore => {
  const { rows, reading, writingDocument } = space
  const thing = (key: string) => ({ session: "", kind, name: key }) as const
  const what = (key: string): string => `${form.kind} ${key}`
  const names = reading(`the ${kind}`, undefined, rows.names("", kind))
  /** For each key, the version that this process read or wrote last. */
  const seen = new Map<string, string>()

  const setAside = (key: string, why: string): Effect.Effect<boolean> =>
    whenWritten(space.setAside(what(key), why, undefined, rows.of(thing(key))), () => seen.delete(key))

  return {
    // After this look, a document that another machine writes is a change.
    mayHaveAny: space.mayHaveDocuments,
    keys: Effect.flatMap(names, (all) =>
      all === undefined ? Effect.as(space.missedDocuments, []) : Effect.succeed(all.filter((name) => pattern.test(name))),
    ),
    load: Effect.fnUntraced(function* (key) {
      const found = yield* reading(what(key), "unread", rows.sealed(thing(key), form))
      if (found === "unread") return yield* Effect.as(space.missedDocuments, undefined)
      if (found === undefined) return undefined
      const { version, lines } = found
      if (Result.isFailure(lines)) return yield* Effect.as(setAside(key, lines.failure), undefined)
      seen.set(key, version)
      return lines.success
    }),
    save: (key, lines) => {
      const version = crypto.randomUUID()
      return whenWritten(
        writingDocument(
          what(key),
          Effect.gen(function* () {
            const there = yield* rows.versionOf(thing(key))
            if (there === version) return 0
            if (there !== undefined && there !== seen.get(key)) return yield* new Overtaken({})
            // If another machine writes the document now, its rows stay, and `add` fails with a unique violation, which becomes `Overtaken`.
            const grown = there === undefined ? 0 : yield* rows.remove("", kind, [key], there)
            return grown + (yield* rows.add(thing(key), version, sealed(form, lines)))
          }),
        ),
        () => seen.set(key, version),
      )
    },
    remove: (key) => whenWritten(writingDocument(what(key), rows.remove("", kind, [key])), () => seen.delete(key)),
    setAside: (key, why) => Effect.asVoid(setAside(key, why)),
  }
}

/**
 * Search over the entries: by exact key, or ranked by words.
 *
 * Guarantees: a typo in a word of four letters or more still finds it, and so does an unfinished word; K code in a query finds the idioms that
 * contain it. The index is made in steps by `prepare`, else on the first search by words. Does not: rank by anything but words.
 */
import MiniSearch from "minisearch"
import type { HelpEntry } from "./HelpEntry.ts"

/** Characters of a query that are used. */
const LONGEST = 200

const stopWords = new Set(
  "a an the of in to for with and or is are do does i how what which my by on from at it k k3 get make using use can".split(" "),
)

/** The word without endings such as plural s, -ing and -ed. */
const stem = (word: string): string => {
  const base = word.length > 5 ? word.replace(/(?:ing|ed)$/, "") : word
  return base.length > 3 ? base.replace(/(?<!s)s$/, "") : base
}

const term = (word: string): string | null => {
  const lower = word.toLowerCase()
  return stopWords.has(lower) ? null : stem(lower)
}

/** The glyphs, adverbs and system names in K code, longest first. */
const PARTS = /[@.:]\[|_[A-Za-z]+|['/\\]:|\d:|[^\w\s]/g

const plain = (text: string): string => text.trim().toLowerCase().replaceAll(/\s+/g, " ")

/** Single letters keep their case, since it tells system names apart: `_t` and `_T`. */
const keyOf = (text: string): string => (/^_?[a-zA-Z]$/.test(text.trim()) ? text.trim() : plain(text))

/** The searched fields of an entry. */
const fields: ReadonlyMap<string, (entry: HelpEntry) => string> = new Map([
  ["keys", ({ keys }) => keys.join(" ").replaceAll("-", " ")],
  ["title", ({ title }) => title],
  ["words", ({ words, group }) => `${words} ${group}`],
  ["text", ({ body }) => body.map((part) => (typeof part === "string" ? part : "")).join(" ")],
])

export const makeSearch = (entries: readonly HelpEntry[]) => {
  const byKey = new Map<string, HelpEntry[]>()
  for (const entry of entries)
    for (const key of new Set(entry.keys.map(keyOf))) {
      const found = byKey.get(key)
      if (found === undefined) byKey.set(key, [entry])
      else found.push(entry)
    }

  const index = new MiniSearch<{ readonly id: number }>({
    fields: [...fields.keys()],
    processTerm: term,
    extractField: ({ id }, field) => (field === "id" ? (id as never) : fields.get(field)!(entries[id]!)),
    searchOptions: {
      boost: { keys: 4, title: 3, words: 2.5 },
      prefix: (word) => word.length > 2,
      fuzzy: (word) => (word.length > 3 ? 0.25 : 0),
      weights: { prefix: 0.5, fuzzy: 0.3 },
    },
  })
  let indexed = 0

  /** Indexes a few entries per step, a millisecond or two; several callers may step in turn. */
  function* prepare(): Generator<undefined, void> {
    while (indexed < entries.length) {
      for (const end = Math.min(entries.length, indexed + 3); indexed < end; indexed++) index.add({ id: indexed })
      yield
    }
  }

  const search = (asked: string): readonly HelpEntry[] => {
    for (const _ of prepare());
    return index.search(asked).map(({ id }) => entries[id as number]!)
  }

  /** The idioms whose code contains the query, when the query is K code. */
  const holding = (query: string): readonly HelpEntry[] =>
    /[^\w\s'".,?!-]/.test(query) || /['/\\]:/.test(query)
      ? entries.filter(({ kind, body }) => kind === "idiom" && body.some((part) => typeof part !== "string" && part[0].includes(query)))
      : []

  return {
    prepare,
    exact: (query: string): readonly HelpEntry[] => byKey.get(keyOf(query)) ?? byKey.get(keyOf(query.replaceAll(/\s/g, ""))) ?? [],
    ranked: (query: string, most: number): readonly HelpEntry[] => {
      const asked = query.slice(0, LONGEST)
      const inWords = /[A-Za-z]{3}/.test(asked)
      const parts = inWords ? [] : (asked.match(PARTS) ?? []).flatMap((part) => byKey.get(keyOf(part)) ?? [])
      const found = inWords ? search(asked) : []
      return [...new Set([...holding(asked), ...parts, ...found])].slice(0, most)
    },
  }
}

/**
 * The help, as tools, the console and the documents use it.
 *
 * Guarantees: pure, bounded answers; the search index is made on first use, or before that in the steps of `prepare`. Does not: know sessions. Import
 * it late (`load.ts`): it imports the language, since verbs are described by the language's tables.
 */
import type { EngineKind } from "../engineKinds.ts"
import { adverbs, syntax } from "./syntax.ts"
import { commands } from "./commands.ts"
import { type HelpEntry, entryMarkdown, entryText } from "./HelpEntry.ts"
import { errors } from "./errors.ts"
import { idiomGroups, idioms } from "./idioms.ts"
import { onK3CSharp } from "./idioms/k3csharp.ts"
import { differences } from "./k3csharp.ts"
import { primitives } from "./primitives.ts"
import { makeSearch } from "./search.ts"
import { topics } from "./topics.ts"

export const entries: readonly HelpEntry[] = [...primitives, ...adverbs, ...syntax, ...commands, ...errors, ...topics, ...idioms]

const verbs = primitives.filter(({ kind }) => kind === "verb")
const names = primitives.filter(({ kind }) => kind === "name")

/** Characters of one answer. */
const MOST = 5000

const bounded = (text: string): string => (text.length <= MOST ? text : `${text.slice(0, MOST)}…`)

export interface Match {
  /** The query that opens the entry. */
  readonly open: string
  readonly what: string
}

export type HelpAnswer =
  | { readonly kind: "entry"; readonly text: string }
  | { readonly kind: "matches"; readonly matches: readonly Match[] }

const search = makeSearch(entries)

/** Makes the search index in small steps. */
export const prepare = search.prepare

const LISTED = 8
const WHAT = 100

const runsOn = (engine: EngineKind, { kind, form }: HelpEntry): boolean => engine === "embedded" || kind !== "idiom" || onK3CSharp.has(form)

const matchOf = (entry: HelpEntry, engine: EngineKind): Match => {
  const { kind, title, body } = entry
  const first = body[0]!
  const what =
    kind === "idiom"
      ? `${title}   ${first[0].split("\n", 1)[0]!}`
      : kind === "error" || typeof first !== "string"
        ? title
        : `${title}: ${first}`
  const shown = what.length > WHAT ? `${what.slice(0, WHAT - 1)}…` : what
  return { open: entry.form, what: runsOn(engine, entry) ? shown : `${shown}  (not on K3CSharp)` }
}

/** The answer to an empty query: the topics and the lists. */
const overview: readonly Match[] = [
  ...topics.map(({ form, title }) => ({ open: form, what: title })),
  { open: "verbs", what: "the verbs: + - * % …" },
  { open: "adverbs", what: "over, scan, each …, and control words" },
  { open: "names", what: "the system names: _ss _in _draw …" },
  { open: "commands", what: "\\l \\d \\t …" },
  { open: "errors", what: "what each error means" },
  { open: "idioms", what: `${idioms.length} tasks in K` },
]

const line = ({ form, title }: HelpEntry): string => `${form}  ${title}`

/** Entries as lists, a line each. */
const lists: ReadonlyMap<string, () => string> = new Map(
  Object.entries({
    primitives: () => primitives.map(line).join("\n"),
    verbs: () => verbs.map(line).join("\n"),
    names: () => names.map(line).join("\n"),
    adverbs: () => [...adverbs, ...syntax].map(line).join("\n"),
    commands: () => commands.map(line).join("\n"),
    errors: () => errors.map(({ title }) => title).join("\n"),
    idioms: () => idiomGroups.map(({ group, rows }) => `${group}: ${rows.map(([name]) => name).join(" ")}`).join("\n"),
  }),
)

const fullText = (entry: HelpEntry, engine: EngineKind): string => {
  const { kind, form } = entry
  if (!runsOn(engine, entry)) return `${entryText(entry)}\nK3CSharp fails here or prints otherwise: see k3csharp.`
  const there = engine === "embedded" || kind === "idiom" ? [] : differences.filter((each) => each.of?.includes(form) === true)
  return [entryText(entry), ...there.map((each) => `On K3CSharp ${each.there}.`)].join("\n")
}

/** The entry with exactly this key; else the entries that match best, best first; for an empty query the overview. */
export const lookUp = (query: string, engine: EngineKind = "embedded"): HelpAnswer => {
  const asked = query.trim()
  if (asked === "") return { kind: "matches", matches: overview }
  const list = lists.get(asked.toLowerCase())
  if (list !== undefined) return { kind: "entry", text: bounded(list()) }
  const exact = search.exact(asked)
  if (exact.length > 0) return { kind: "entry", text: bounded(exact.map((entry) => fullText(entry, engine)).join("\n\n")) }
  return { kind: "matches", matches: search.ranked(asked, LISTED).map((entry) => matchOf(entry, engine)) }
}

const page = (title: string, of: readonly HelpEntry[]): string => [`# ${title}`, ...of.map(entryMarkdown)].join("\n\n")

/** Topics that are not about the language. */
const aboutPrograms: ReadonlySet<string> = new Set(["server", "k3csharp"])

/** Title and entries by name. */
const pages: ReadonlyMap<string, readonly [string, readonly HelpEntry[]]> = new Map([
  ["language", ["The language", topics.filter(({ form }) => !aboutPrograms.has(form))]],
  ["primitives", ["Verbs", verbs]],
  ["names", ["System names", names]],
  ["adverbs", ["Adverbs and syntax", [...adverbs, ...syntax]]],
  ["commands", ["Commands", commands]],
  ["errors", ["Errors", errors]],
  ["idioms", ["Idioms", idioms]],
])

const WIDEST = 24

/** An answer as plain text. `opening`: the sentence that tells how to open one of several matches. */
export const answerText = (answer: HelpAnswer, opening: string): string => {
  if (answer.kind === "entry") return answer.text
  const width = Math.min(WIDEST, Math.max(0, ...answer.matches.map(({ open }) => open.length)))
  return [...answer.matches.map(({ open, what }) => `${open.padEnd(width)}  ${what}`), opening].join("\n")
}

/** The pages that `topicPage` has besides single entries: title by name. */
export const topicTitles: ReadonlyMap<string, string> = new Map([
  ...topics.map(({ form, title }) => [form, title] as const),
  ...Array.from(pages, ([name, [title]]) => [name, title] as const),
])

/** A topic, a list, or the entries with exactly that key, as a page of Markdown; undefined when there is none. */
export const topicPage = (name: string): string | undefined => {
  const topic = topics.find(({ form }) => form === name)
  if (topic !== undefined) return entryMarkdown(topic)
  const found = pages.get(name)
  if (found !== undefined) return page(...found)
  const exact = search.exact(name)
  return exact.length === 0 ? undefined : exact.map(entryMarkdown).join("\n\n")
}

/** Every name that `topicPage` opens, one for each entry: topics, then glyphs, names, commands, errors, idioms. */
export const pageNames = (): readonly string[] => [...new Set([...topicTitles.keys(), ...entries.map(({ keys: [first] }) => first!)])]

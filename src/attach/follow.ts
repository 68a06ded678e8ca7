/**
 * Which entries of a session's history a console shows next, and where the answers to its own statements belong among them. Pure.
 *
 * Guarantees: every entry is shown once, in the history's order, over a restart of the server too, after which numbers may begin again
 * below; the entry of a statement that was typed here is not shown, its reply is, in its place. Does not: tell two consoles apart that
 * ask the same at the same time and are answered the same.
 */

/** As `k_history` tells it. */
export interface Entry {
  readonly n: number
  /** ISO 8601. */
  readonly at: string
  readonly code: string
  readonly ok: boolean
  readonly output?: string
  readonly error?: string
  readonly effect?: string
  readonly event?: string
  readonly by?: string
}

/** The last entry that was dealt with; `n` is 0 before the first. */
export interface Cursor {
  readonly n: number
  readonly at: string
}

/** What was typed here and not shown yet. */
export interface Asked {
  readonly code: string
  /** Absent while it runs. */
  readonly reply?: Reply
}

/** As `k_eval` gives it. */
export interface Reply {
  readonly ok: boolean
  readonly output?: string
  readonly error?: { readonly name: string; readonly text: string }
  readonly notice?: string
}

export interface Following {
  readonly cursor: Cursor
  readonly asked: Asked | undefined
  /** Code that was typed here and given up: the entries that it makes are not shown. */
  readonly dropped: readonly string[]
}

export type Shown = { readonly entry: Entry } | { readonly reply: Reply }

export const nothingYet: Cursor = { n: 0, at: "" }

/** Of the entries from the cursor on, oldest first, those behind it; undefined when the history is not the one that it points into. */
export const behind = (cursor: Cursor, from: readonly Entry[]): readonly Entry[] | undefined => {
  if (cursor.n === 0) return from
  const [first, ...rest] = from
  return first?.n === cursor.n && first.at === cursor.at ? rest : undefined
}

/** Of a whole history that the cursor does not point into: what was asked later. */
export const later = (cursor: Cursor, all: readonly Entry[]): readonly Entry[] => all.filter(({ at }) => at > cursor.at)

const isOf = (code: string, entry: Entry): boolean =>
  entry.event === undefined &&
  (entry.by ?? "console") === "console" &&
  (entry.code === code || (entry.code.endsWith("…") && code.startsWith(entry.code.slice(0, -1))))

/** The entry of what was asked here: of several with its code the one with its output. */
const own = ({ code, reply }: Asked, entries: readonly Entry[]): Entry | undefined => {
  const candidates = entries.filter((entry) => isOf(code, entry))
  return candidates.find(({ ok, output = "" }) => ok === reply?.ok && output === (reply.output ?? "")) ?? candidates[0]
}

/** What to show of entries behind the cursor, oldest first. Up to a statement of this console that is not answered yet: it is heard of soon. */
export const follow = (following: Following, entries: readonly Entry[]): readonly [readonly Shown[], Following] => {
  const { asked } = following
  const mine = asked === undefined ? undefined : own(asked, entries)
  const shown: Shown[] = []
  let { cursor } = following
  const dropped = [...following.dropped]
  for (const entry of entries) {
    if (entry === mine && asked?.reply === undefined) return [shown, { ...following, cursor, dropped }]
    cursor = { n: entry.n, at: entry.at }
    const given = entry === mine ? -1 : dropped.findIndex((code) => isOf(code, entry))
    if (given >= 0) dropped.splice(given, 1)
    else shown.push(entry === mine ? { reply: asked!.reply! } : { entry })
  }
  if (asked?.reply === undefined) return [shown, { ...following, cursor, dropped }]
  // A session that keeps no history has no entry for it.
  if (mine === undefined) shown.push({ reply: asked.reply })
  return [shown, { cursor, dropped, asked: undefined }]
}

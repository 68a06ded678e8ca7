/**
 * Chooses the entries of a session's history that an attached console shows next, and places the replies to its own statements among them. Pure.
 *
 * Guarantees: each entry is shown once, in the history's order, also over a restart of the server, after which numbers may begin anew;
 * for a statement that was typed at this console its reply is shown in place of its entry. Does not: distinguish two consoles, or the clients of
 * one principal, that send the same code at the same time and get the same answer.
 */

/** An entry in a reply of `k_history`. */
export interface HistoryReplyEntry {
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

/** The last entry that was shown or skipped; `n` is 0 before the first. */
export interface Cursor {
  readonly n: number
  readonly at: string
}

/** The statement of this console whose reply is not shown yet. */
export interface PendingStatement {
  readonly code: string
  /** Absent while the statement waits or runs. */
  readonly reply?: EvalReply
}

/** A reply of `k_eval`. */
export interface EvalReply {
  readonly ok: boolean
  readonly output?: string
  readonly error?: { readonly name: string; readonly text: string }
  readonly notice?: string
}

export interface Following {
  /** The name that the history gives this console. */
  readonly caller: string
  readonly cursor: Cursor
  readonly asked: PendingStatement | undefined
  /** Code of interrupted statements of this console, whose entries are not shown. */
  readonly dropped: readonly string[]
}

export type ShownItem = { readonly entry: HistoryReplyEntry } | { readonly reply: EvalReply }

export const nothingYet: Cursor = { n: 0, at: "" }

/** The entries after the cursor, from the entries at and after it, oldest first; undefined when the cursor's entry is not in this history. */
export const behind = (cursor: Cursor, from: readonly HistoryReplyEntry[]): readonly HistoryReplyEntry[] | undefined => {
  if (cursor.n === 0) return from
  const [first, ...rest] = from
  return first?.n === cursor.n && first.at === cursor.at ? rest : undefined
}

/** The entries of a whole history that are later than the cursor. For a history that does not contain the cursor's entry. */
export const later = (cursor: Cursor, all: readonly HistoryReplyEntry[]): readonly HistoryReplyEntry[] =>
  all.filter(({ at }) => at > cursor.at)

/** Is the entry an evaluation of `caller`, or of another client of that name? */
export const isBy = (caller: string, { event, by }: HistoryReplyEntry): boolean => event === undefined && by === caller

const isOf = (caller: string, code: string, entry: HistoryReplyEntry): boolean =>
  isBy(caller, entry) && (entry.code === code || (entry.code.endsWith("…") && code.startsWith(entry.code.slice(0, -1))))

/** The entry of this console's statement: of several entries with its code, the one with its output. */
const own = (caller: string, { code, reply }: PendingStatement, entries: readonly HistoryReplyEntry[]): HistoryReplyEntry | undefined => {
  const candidates = entries.filter((entry) => isOf(caller, code, entry))
  return candidates.find(({ ok, output = "" }) => ok === reply?.ok && output === (reply.output ?? "")) ?? candidates[0]
}

/**
 * Chooses what to show of the entries after the cursor, oldest first. Stops at a statement of this console whose reply has not arrived.
 * `known`: the statement of this console when the entries were asked for. Entries that were asked for before its reply arrived may lack its entry.
 */
export const follow = (
  following: Following,
  entries: readonly HistoryReplyEntry[],
  known: PendingStatement | undefined,
): readonly [readonly ShownItem[], Following] => {
  const { caller, asked } = following
  const reply = asked === known ? asked?.reply : undefined
  const mine = asked === undefined ? undefined : own(caller, asked, entries)
  const shown: ShownItem[] = []
  let { cursor } = following
  const dropped = [...following.dropped]
  for (const entry of entries) {
    if (entry === mine && reply === undefined) return [shown, { ...following, cursor, dropped }]
    cursor = { n: entry.n, at: entry.at }
    const given = entry === mine ? -1 : dropped.findIndex((code) => isOf(caller, code, entry))
    if (given >= 0) dropped.splice(given, 1)
    else shown.push(entry === mine ? { reply: reply! } : { entry })
  }
  if (reply === undefined) return [shown, { ...following, cursor, dropped }]
  // A session that keeps no history has no entry for the statement.
  if (mine === undefined) shown.push({ reply })
  return [shown, { caller, cursor, dropped, asked: undefined }]
}

/** All data that the page draws, as signals, and the methods that change them. Does not: ask the server. */
import { batch, computed, signal } from "@preact/signals"
import { isBy } from "../attach/follow.ts"
import type { LinkState } from "./PageLink.ts"
import type { InspectionReply, SessionRow, Status } from "./replies.ts"
import { type Route, routeOf } from "./route.ts"
import { announced, answered, type Cursor, emptyTranscript, type HistoryReplyEntry, heard, said } from "./transcript.ts"

/** Code that this page asked to evaluate and that is not answered yet. */
export interface Pending {
  readonly id: number
  readonly session: string
  readonly code: string
  readonly at: number
}

const mostUnanswered = 100

const isOf = (code: string, entry: HistoryReplyEntry): boolean =>
  entry.code === code || entry.code.slice(0, 60) === code.trimEnd().replaceAll(/\n\s*/g, " ⏎ ").slice(0, 60)

const isAfter = (cursor: Cursor, { n, at }: HistoryReplyEntry): boolean => n > cursor.n || at > cursor.at

export class Shown {
  readonly link = signal<LinkState>("connecting")
  readonly route = signal<Route>(routeOf(""))
  readonly sessions = signal<readonly SessionRow[]>([])
  /** The latest status that was read. After a change of session it is the status of the session before, until the new one is read. */
  readonly status = signal<Status | undefined>(undefined)
  readonly transcript = signal(emptyTranscript)
  readonly names = signal<InspectionReply | undefined>(undefined)
  readonly pending = signal<readonly Pending[]>([])
  /** Code of this page whose answer will not come, the newest last. */
  readonly unanswered = signal<readonly Pending[]>([])
  /** The sentence beside the input: an error outside of K, or a notice. */
  readonly message = signal("")
  /** Read out by screen readers; `nth` tells apart two of the same text. */
  readonly announcement = signal({ text: "", nth: 0 })
  /** Is the newest row in view? */
  readonly following = signal(true)
  /** Raised whenever the newest row is to come into view: a session is opened, or code is asked here. */
  readonly toNewest = signal(0)
  /** Raised whenever the session's variables may have changed. */
  readonly changed = signal(0)
  /** The session that was used last when the page was opened; if there was none, the first session that shows an entry. */
  readonly used = signal<string | undefined>(undefined)

  readonly session = computed(() => this.route.value.session ?? this.used.value ?? "main")
  /** The status of the shown session; undefined until it is read. */
  readonly current = computed(() => (this.status.value?.session === this.session.value ? this.status.value : undefined))
  readonly mayChange = computed(() => this.status.value?.read_only !== true)

  private nextId = 1

  ask(code: string): Pending {
    const asked: Pending = { id: this.nextId++, session: this.session.value, code, at: Date.now() }
    batch(() => {
      this.pending.value = [...this.pending.value, asked]
      this.message.value = ""
      this.goToNewest()
    })
    return asked
  }

  private goToNewest(): void {
    this.following.value = true
    this.toNewest.value++
  }

  settle(asked: Pending): void {
    this.pending.value = this.pending.value.filter(({ id }) => id !== asked.id)
  }

  leaveUnanswered(asked: Pending): void {
    this.unanswered.value = [...this.unanswered.value, asked].slice(-mostUnanswered)
  }

  say(text: string): void {
    this.transcript.value = said(this.transcript.value, text, new Date().toISOString())
    this.announce(text)
  }

  hear(news: readonly HistoryReplyEntry[]): void {
    if (news.length === 0) return
    this.transcript.value = heard(this.transcript.value, news, this.following.value)
    this.announce(announced(news))
    this.changed.value++
  }

  /** Shows a session from its latest entries on. `older`: the history's cursor for the entries before them. */
  open(session: string, entries: readonly HistoryReplyEntry[], older: number | undefined): void {
    batch(() => {
      this.transcript.value = { ...heard(emptyTranscript, entries, true), session, older }
      this.names.value = undefined
      this.message.value = ""
      this.goToNewest()
    })
  }

  /**
   * Shows the reply to code asked on this page, unless the history already told it. `before`: the transcript's `cursor` when the code was asked. A
   * session without history never tells it.
   */
  answer({ code }: Pending, before: Cursor, reply: any): void {
    // A refused status does not tell it.
    const { caller = "page" } = this.status.value ?? {}
    const isMine = (entry: HistoryReplyEntry): boolean => isAfter(before, entry) && isBy(caller, entry) && isOf(code, entry)
    const isThere = this.transcript.value.rows.some((row) => row.kind === "entry" && isMine(row.entry))
    if (!isThere) {
      const error: string | undefined = reply?.error?.text
      const answer = { code, ...(reply?.output !== undefined && { output: reply.output }), ...(error !== undefined && { error }) }
      this.transcript.value = answered(this.transcript.value, answer, new Date().toISOString())
    }
    if (reply?.notice !== undefined) this.say(reply.notice)
  }

  private announce(text: string): void {
    this.announcement.value = { text, nth: this.announcement.value.nth + 1 }
  }
}

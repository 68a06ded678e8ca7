/**
 * All that the page knows, as signals, and the loop that keeps it up to date.
 *
 * Guarantees: what a session's history tells is shown once and in order; changes told in quick succession are read once; nothing that a
 * reader asked for twice runs twice. Does not: draw. What follows from what is decided by the pure functions of `transcript.ts` and
 * `losses.ts`.
 */
import { batch, computed, signal } from "@preact/signals"
import { Unanswered } from "../attach/wire.ts"
import { Link, type LinkState, type ToolReply } from "./Link.ts"
import { isFresh, lossOf, returned, seen, type Sight } from "./losses.ts"
import { type Route, routeOf } from "./route.ts"
import { announced, answered, completed, drew, emptyTranscript, type Entry, heard, recalled, said } from "./transcript.ts"
import { pageOf, readNews, readPage } from "./readHistory.ts"
import { Wholes } from "./Wholes.ts"
import { type Inspection, isPassing, type SessionRow, type Status } from "./replies.ts"

/** Entries that are shown of what was before. */
const atFirst = 100
/** ms between two readings. */
const rest = 100
/** After a reading that failed, and after many. */
const afterFailure = 1000
const longestPause = 30_000

/** Code that was asked here and is not answered yet. */
export interface Pending {
  readonly id: number
  readonly session: string
  readonly code: string
  readonly at: number
}

type Part = "status" | "history" | "names"

const isMine = (code: string, { by, code: kept, event }: Entry): boolean =>
  event === undefined && by === "page" && (kept === code || kept.slice(0, 60) === code.trimEnd().replaceAll(/\n\s*/g, " ⏎ ").slice(0, 60))

export class Store {
  readonly link = signal<LinkState>("connecting")
  readonly route = signal<Route>(routeOf(""))
  readonly sessions = signal<readonly SessionRow[]>([])
  readonly status = signal<Status | undefined>(undefined)
  readonly transcript = signal(emptyTranscript)
  readonly names = signal<Inspection | undefined>(undefined)
  readonly pending = signal<readonly Pending[]>([])
  /** Where the input was answered last: what went wrong outside of K. */
  readonly message = signal("")
  /** For those who hear the page. */
  readonly announcement = signal("")
  /** Is the newest row in view? */
  readonly following = signal(true)
  /** Raised when the session's variables may be others. */
  readonly changed = signal(0)

  private readonly used = signal<string | undefined>(undefined)
  readonly session = computed(() => this.route.value.session ?? this.used.value ?? "main")
  readonly mayChange = computed(() => this.status.value?.read_only !== true)

  /** How often the server was reached: it may be another one each time. */
  arrivals = 0

  /** Entries that are looked at come whole. */
  readonly wholes = new Wholes((entry) => this.fetchWhole(entry))

  private readonly connection: Link
  private readonly stale = new Set<Part>()
  private isRefreshing = false
  private reading: Promise<unknown> = Promise.resolve()
  /** What `transcript` is of, and what is watched. */
  private shown: string | undefined
  private watched = ""
  private plots = ""
  private sight: Sight | undefined
  private goneSince: number | undefined
  private unanswered: readonly string[] = []
  private nextId = 1

  constructor(url: URL) {
    this.connection = new Link({
      url,
      onState: (state) => this.linked(state),
      onChange: (uri) =>
        this.refresh("status", ...(uri.endsWith("/history") ? (["history"] as const) : uri.endsWith("/state") ? (["names"] as const) : [])),
    })
  }

  async begin(): Promise<void> {
    await this.connection.connect()
  }

  go(hash: string): void {
    this.route.value = routeOf(hash)
    this.refresh("status", "history", "names")
  }

  /** Throws `Unanswered`. */
  call(name: string, args: object, signal?: AbortSignal): Promise<ToolReply> {
    return this.connection.call(name, args, signal)
  }

  read(uri: string): Promise<string> {
    return this.connection.read(uri)
  }

  complete(uri: string, argument: { readonly name: string; readonly value: string }): Promise<readonly string[]> {
    return this.connection.complete(uri, argument, this.session.value)
  }

  /** Runs it in the session, in its turn. */
  async evaluate(code: string): Promise<void> {
    const session = this.session.value
    const asked: Pending = { id: this.nextId++, session, code, at: Date.now() }
    const before = this.transcript.value.heard
    batch(() => {
      this.pending.value = [...this.pending.value, asked]
      this.message.value = ""
    })
    const timeout_ms = this.status.value?.limits?.eval_timeout_max_ms
    try {
      const { structured } = await this.call("k_eval", { code, session, ...(timeout_ms !== undefined && { timeout_ms }) })
      await this.catchUp().catch(() => {})
      if (this.session.value === session) this.answered(asked, before, structured)
    } catch (error) {
      if (this.connectionIsGone()) this.unanswered = [...this.unanswered, code]
      this.message.value = (error as Error).message
    } finally {
      this.pending.value = this.pending.value.filter(({ id }) => id !== asked.id)
      this.refresh("status", "names")
    }
  }

  /** A call whose outcome is told in a sentence. */
  async tell(name: string, args: object): Promise<ToolReply | undefined> {
    try {
      const reply = await this.call(name, args)
      this.message.value = reply.structured?.error?.text ?? reply.structured?.notice ?? ""
      this.refresh("status", "history", "names")
      return reply
    } catch (error) {
      this.message.value = (error as Error).message
      return undefined
    }
  }

  stop(): Promise<unknown> {
    return this.tell("k_session", { action: "interrupt", name: this.session.value })
  }

  /** Entries before the oldest that is shown. */
  async recall(): Promise<void> {
    const { older } = this.transcript.value
    if (older === undefined) return
    const page = await readPage(this.connection, this.session.value, { limit: pageOf, cursor: older }).catch(() => undefined)
    if (page !== undefined && this.transcript.value.older === older)
      this.transcript.value = recalled(this.transcript.value, page.entries, page.cursor)
  }

  refresh(...parts: readonly Part[]): void {
    for (const part of parts) this.stale.add(part)
    if (!this.isRefreshing && this.link.value === "here") void this.keepUp()
  }

  private connectionIsGone(): boolean {
    return this.link.value === "gone"
  }

  private linked(state: LinkState): void {
    this.link.value = state
    if (state === "gone") this.goneSince ??= Date.now()
    if (state !== "here") return
    this.arrivals++
    this.watched = ""
    this.refresh("status", "history", "names")
  }

  private async keepUp(): Promise<void> {
    this.isRefreshing = true
    let pause = rest
    try {
      while (this.stale.size > 0 && this.link.value === "here") {
        pause = (await this.readStale()) ? rest : Math.min(Math.max(2 * pause, afterFailure), longestPause)
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
    } finally {
      this.isRefreshing = false
    }
  }

  /** False when a reading failed, such as when the server has too many requests: then all are due again. */
  private async readStale(): Promise<boolean> {
    const parts = new Set(this.stale)
    this.stale.clear()
    try {
      if (parts.has("status")) await this.readStatus()
      if (parts.has("history")) await this.catchUp()
      if (parts.has("names")) await this.readNames()
      return true
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      for (const part of parts) this.stale.add(part)
      return false
    }
  }

  private async readStatus(): Promise<void> {
    const list = await this.call("k_session", { action: "list" })
    const sessions: readonly SessionRow[] = list.structured?.sessions ?? []
    this.used.value ??= sessions.toSorted((a, b) => a.idle_ms - b.idle_ms)[0]?.name
    const session = this.session.value
    const { structured } = await this.call("k_status", { session })
    if (session !== this.session.value) return this.refresh("status")
    batch(() => {
      this.sessions.value = sessions
      this.status.value = structured
      if (structured?.ok !== true) this.message.value = structured?.error?.text ?? ""
    })
    const isOpen = (structured.sessions as Status["sessions"])?.some(({ name }) => name === session) === true
    await this.watch(session, isOpen)
    if (this.shown !== session) await this.open(session)
    const { pid, generation } = structured
    // Also an interpreter that ends before its variables were read is followed by a fresh one.
    if (this.sight === undefined || this.sight.generation === 0)
      this.sight = { session, server: this.arrivals, pid, generation, names: undefined }
    if (this.sight.pid !== pid || this.sight.generation !== generation) this.stale.add("names")
  }

  /** A session that is not open has no variables to watch. */
  private async watch(session: string, isOpen: boolean): Promise<void> {
    const own = `k3://sessions/${encodeURIComponent(session)}`
    const addresses = ["k3://status", "k3://sessions", ...(isOpen ? [`${own}/history`, `${own}/state`] : [])]
    if (addresses.join() === this.watched) return
    if (await this.connection.watch(addresses)) this.watched = addresses.join()
    this.stale.add("history")
    this.stale.add("names")
  }

  /** Shows that session from its latest entries on. */
  private async open(session: string): Promise<void> {
    const { entries, cursor } = await readPage(this.connection, session, { limit: atFirst })
    if (session !== this.session.value) return this.refresh("status")
    this.shown = session
    this.plots = ""
    this.sight = undefined
    batch(() => {
      this.transcript.value = { ...heard(emptyTranscript, entries, true), older: cursor }
      this.names.value = undefined
      this.following.value = true
      this.message.value = ""
    })
    this.stale.add("history")
    this.stale.add("names")
  }

  /** One reading after the other: each begins where the one before it ended. */
  private catchUp(): Promise<void> {
    const done = this.reading.then(() => this.follow())
    this.reading = done.catch(() => {})
    return done
  }

  private async follow(): Promise<void> {
    const session = this.session.value
    if (this.shown !== session) return
    const news = await readNews(this.connection, session, this.transcript.value.cursor)
    if (session !== this.session.value) return
    batch(() => {
      this.sayReturn()
      if (news.length === 0) return
      this.transcript.value = heard(this.transcript.value, news, this.following.value)
      this.announcement.value = announced(news)
      this.changed.value++
    })
    await this.readPlots(session)
  }

  private async readNames(): Promise<void> {
    const session = this.session.value
    const status = this.status.value
    if (status?.sessions?.some(({ name }) => name === session) !== true) return
    const { structured } = await this.call("k_inspect", { session })
    if (session !== this.session.value || structured?.ok !== true) return
    const names: Inspection = structured
    if (isPassing(names)) {
      setTimeout(() => this.refresh("names"), 5 * rest)
      if (names.entries?.length !== 0) this.names.value = names
      return
    }
    const sight: Sight = {
      session,
      server: this.arrivals,
      pid: status.pid,
      generation: names.generation ?? 0,
      names: (names.entries ?? []).map(({ name }) => name),
    }
    const before = this.sight
    this.sight = seen(before, sight)
    batch(() => {
      this.names.value = names
      this.changed.value++
      if (before !== undefined && isFresh(before, sight)) this.say(lossOf(before, sight))
    })
  }

  private async readPlots(session: string): Promise<void> {
    const numbers = await this.connection.complete("k3://sessions/{session}/plots/{n}", { name: "n", value: "" }, session)
    if (numbers.join() === this.plots) return
    this.plots = numbers.join()
    const plots = await this.connection.resources(`k3://sessions/${encodeURIComponent(session)}/plots/`)
    if (this.shown === session) this.transcript.value = drew(this.transcript.value, plots)
  }

  private answered({ code }: Pending, before: number, reply: any): void {
    const { heard: now, rows } = this.transcript.value
    const fresh = rows.slice(-Math.max(0, now - before) - 64)
    const isThere = now > before && fresh.some((row) => row.kind === "entry" && isMine(code, row.entry))
    if (!isThere) {
      const error: string | undefined = reply?.error?.text
      const answer = { code, ...(reply?.output !== undefined && { output: reply.output }), ...(error !== undefined && { error }) }
      this.transcript.value = answered(this.transcript.value, answer, new Date().toISOString())
    }
    if (reply?.notice !== undefined) this.say(reply.notice)
  }

  private sayReturn(): void {
    if (this.goneSince === undefined) return
    this.say(returned(Date.now() - this.goneSince, this.unanswered))
    this.goneSince = undefined
    this.unanswered = []
  }

  private say(text: string): void {
    this.transcript.value = said(this.transcript.value, text, new Date().toISOString())
    this.announcement.value = text
  }

  private async fetchWhole({ n }: Entry): Promise<void> {
    const { structured } = await this.call("k_history", { action: "show", session: this.session.value, n })
    const whole: Entry | undefined = structured?.entries?.[0]
    if (whole !== undefined) this.transcript.value = completed(this.transcript.value, whole)
  }
}

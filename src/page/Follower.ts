/**
 * Keeps the signals of `Shown.ts` up to date with the server.
 *
 * Guarantees: each entry of a session's history is shown once and in order; changes in quick succession cause one reading; a reading that failed is
 * repeated. Does not: decide what follows from a reading (`standing.ts`, `transcript.ts`).
 */
import { batch, effect } from "@preact/signals"
import { readNews } from "../attach/readNews.ts"
import { plotNumbers, plotsOf, Unanswered } from "../attach/wire.ts"
import type { PageLink, LinkState } from "./PageLink.ts"
import { Pause } from "./Pause.ts"
import { readPage } from "./readHistory.ts"
import { type InspectionReply, isPassing, ownSession, type SessionRow, type Status } from "./replies.ts"
import type { Shown } from "./Shown.ts"
import { atFirst, back, gone, leftUnanswered, namesGlimpsed, namesSeen, opened, reached, type Standing, statusSeen } from "./standing.ts"
import { drew, mostRows } from "./transcript.ts"

/** Entries that are shown when a session is opened. */
const entriesAtFirst = 100
/** Milliseconds between two readings. */
const rest = 100
/** Milliseconds to wait after a failed reading, and at most after many. */
const afterFailure = 1000
const longestPause = 30_000

type Part = "status" | "history" | "names"

const latestOf = (sessions: readonly SessionRow[]): string | undefined =>
  sessions.filter(({ name }) => !ownSession.test(name)).toSorted((a, b) => a.idle_ms - b.idle_ms)[0]?.name

export class Follower {
  private standing: Standing = atFirst
  private readonly stale = new Set<Part>()
  private isRefreshing = false
  private readonly pause = new Pause()
  private reading: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly shown: Shown,
    private readonly link: PageLink,
  ) {}

  get arrivals(): number {
    return this.standing.arrivals
  }

  linked(state: LinkState): void {
    this.shown.link.value = state
    if (state === "gone") this.standing = gone(this.standing, Date.now())
    if (state !== "here") return
    this.standing = reached(this.standing)
    // The message was about the server that was gone.
    this.shown.message.value = ""
    this.begin()
  }

  /** Remembers code whose evaluation failed because the server is gone: its answer will never come. */
  failed(code: string): void {
    if (this.shown.link.value === "gone") this.standing = leftUnanswered(this.standing, code)
  }

  refresh(...parts: readonly Part[]): void {
    for (const part of parts) this.stale.add(part)
    if (!this.isRefreshing && this.shown.link.value === "here") void this.keepUp()
  }

  /** Reads all parts at once, also while it waits after a failure: the server answers again, or another session is shown. */
  begin(): void {
    this.refresh("status", "history", "names")
    this.pause.end()
  }

  /** Waits until the session's transcript is shown, or until the person went to another session. */
  async shows(session: string): Promise<void> {
    const { transcript, session: current } = this.shown
    let stop = (): void => {}
    await new Promise<void>((resolve) => {
      stop = effect(() => {
        if (current.value !== session || transcript.value.session === session) resolve()
      })
    })
    stop()
  }

  /** Looks for plots again: older entries are shown, and plots among them were left out. */
  lookForPlots(): void {
    this.standing = { ...this.standing, plots: "" }
    this.refresh("history")
  }

  /** Reads the new entries of the history, after the reading that is under way. */
  catchUp(): Promise<void> {
    const done = this.reading.then(() => this.follow())
    this.reading = done.catch(() => {})
    return done
  }

  private async keepUp(): Promise<void> {
    this.isRefreshing = true
    let wait = rest
    try {
      while (this.stale.size > 0 && this.shown.link.value === "here") {
        wait = (await this.readStale()) ? rest : Math.min(Math.max(2 * wait, afterFailure), longestPause)
        if (await this.pause.wait(wait)) wait = rest
      }
    } finally {
      this.isRefreshing = false
    }
  }

  /** False when a reading failed, for example because the server refuses further requests for now; the parts are then due again. */
  private async readStale(): Promise<boolean> {
    const parts = new Set(this.stale)
    this.stale.clear()
    try {
      const isWatched = !parts.has("status") || (await this.readStatus())
      if (parts.has("history")) await this.catchUp()
      if (parts.has("names")) await this.readNames()
      if (!isWatched) this.stale.add("status")
      return isWatched
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      for (const part of parts) this.stale.add(part)
      return false
    }
  }

  /** False when the session's changes could not be subscribed to. */
  private async readStatus(): Promise<boolean> {
    const { shown } = this
    const list = await this.link.call("k_session", { action: "list" })
    const sessions: readonly SessionRow[] = list.structured?.sessions ?? []
    shown.used.value ??= shown.transcript.value.rows.length > 0 ? shown.session.value : latestOf(sessions)
    const session = shown.session.value
    const { structured } = await this.link.call("k_status", { session })
    if (session !== shown.session.value) {
      this.stale.add("status")
      return true
    }
    batch(() => {
      shown.sessions.value = sessions
      shown.status.value = structured
      if (!sessions.some(({ name }) => name === session)) shown.names.value = undefined
    })
    const isOpen = (structured.sessions as Status["sessions"])?.some(({ name }) => name === session) === true
    const isWatched = await this.watch(session, isOpen)
    if (shown.transcript.value.session !== session) await this.open(session)
    if (structured?.ok !== true) shown.message.value = structured?.error?.text ?? ""
    const { pid, generation } = structured
    const [standing, isOther] = statusSeen(this.standing, { session, pid, generation })
    this.standing = standing
    if (isOther) this.stale.add("names")
    return isWatched
  }

  /** Subscribes to the session's changes. A session that is not open has no history or variables to subscribe to. */
  private async watch(session: string, isOpen: boolean): Promise<boolean> {
    const own = `k3://sessions/${encodeURIComponent(session)}`
    const addresses = ["k3://status", "k3://sessions", ...(isOpen ? [`${own}/history`, `${own}/state`] : [])]
    if (addresses.join() === this.standing.watched) return true
    const isWatched = await this.link.watch(addresses)
    if (isWatched) this.standing = { ...this.standing, watched: addresses.join() }
    this.stale.add("history")
    this.stale.add("names")
    return isWatched
  }

  private async open(session: string): Promise<void> {
    const { entries, cursor } = await readPage(this.link, session, { limit: entriesAtFirst })
    if (session !== this.shown.session.value) return this.refresh("status")
    this.standing = opened(this.standing)
    this.shown.open(session, entries, cursor)
    this.stale.add("history")
    this.stale.add("names")
  }

  private async follow(): Promise<void> {
    const { shown } = this
    const session = shown.session.value
    if (shown.transcript.value.session !== session) return
    const news = await readNews((range) => readPage(this.link, session, range), shown.transcript.value.cursor, mostRows)
    // The person may have gone to another session and back: then the transcript is still of the other one.
    if (session !== shown.session.value || session !== shown.transcript.value.session) return
    batch(() => {
      const [standing, said] = back(this.standing, Date.now())
      this.standing = standing
      if (said !== undefined) shown.say(said)
      shown.hear(news)
    })
    await this.readPlots(session)
  }

  private async readNames(): Promise<void> {
    const { shown } = this
    const session = shown.session.value
    const status = shown.status.value
    if (status?.sessions?.some(({ name }) => name === session) !== true) return
    const { structured } = await this.link.call("k_inspect", { session })
    if (session !== shown.session.value || structured?.ok !== true) return
    const names: InspectionReply = structured
    const { entries = [], generation = 0 } = names
    const interpreter = { session, pid: status.pid, generation }
    // Names that are left out are not known to be kept or lost.
    const held = names.omitted === undefined ? entries.map(({ name }) => name) : undefined
    if (isPassing(names)) {
      setTimeout(() => this.refresh("names"), 5 * rest)
      if (names.entries?.length !== 0) shown.names.value = names
      this.standing = namesGlimpsed(this.standing, interpreter, held)
      return
    }
    const [standing, loss] = namesSeen(this.standing, interpreter, held)
    this.standing = standing
    batch(() => {
      shown.names.value = names
      shown.changed.value++
      if (loss !== undefined) shown.say(loss)
    })
  }

  private async readPlots(session: string): Promise<void> {
    const numbers = await this.link.ask((client) => plotNumbers(client, session))
    if (numbers === this.standing.plots) return
    const plots = await this.link.ask((client) => plotsOf(client, session))
    if (this.shown.transcript.value.session !== session) return
    this.standing = { ...this.standing, plots: numbers }
    this.shown.transcript.value = drew(this.shown.transcript.value, plots)
  }
}

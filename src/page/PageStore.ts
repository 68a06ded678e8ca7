/**
 * The page's state and commands: the signals of `Shown.ts`, kept up to date by `Follower.ts`, and the actions of a person. Guarantees: no evaluation
 * that a person asked for runs twice. Does not: draw.
 */
import { pageOf } from "../attach/readNews.ts"
import { Follower } from "./Follower.ts"
import { PageLink, type ToolReply } from "./PageLink.ts"
import { readPage } from "./readHistory.ts"
import { routeOf } from "./route.ts"
import { Shown } from "./Shown.ts"
import { completed, type HistoryReplyEntry, recalled } from "./transcript.ts"
import { Wholes } from "./Wholes.ts"

export class PageStore extends Shown {
  /** Fetches the full text of entries in view. */
  readonly wholes = new Wholes((entry) => this.fetchWhole(entry))
  readonly connection: PageLink
  private readonly follower: Follower

  constructor(url: URL) {
    super()
    this.connection = new PageLink({
      url,
      onState: (state) => this.follower.linked(state),
      onChange: (uri) =>
        this.follower.refresh(
          "status",
          ...(uri.endsWith("/history") ? (["history"] as const) : uri.endsWith("/state") ? (["names"] as const) : []),
        ),
    })
    this.follower = new Follower(this, this.connection)
  }

  /** How often the server was reached. It may be another server each time. */
  get arrivals(): number {
    return this.follower.arrivals
  }

  go(hash: string): void {
    this.route.value = routeOf(hash)
    this.follower.begin()
  }

  /** Throws `Unanswered`. */
  call(name: string, args: object): Promise<ToolReply> {
    return this.connection.call(name, args)
  }

  read(uri: string): Promise<string> {
    return this.connection.read(uri)
  }

  /** None when the server does not answer. */
  complete(uri: string, argument: { readonly name: string; readonly value: string }): Promise<readonly string[]> {
    return this.connection.complete(uri, argument, this.session.value).catch(() => [])
  }

  /** Evaluates code in the session; the server queues it behind the session's other evaluations. */
  async evaluate(code: string): Promise<void> {
    const asked = this.ask(code)
    const { session } = asked
    const before = this.transcript.value.cursor
    const timeout_ms = this.status.value?.limits?.eval_timeout_max_ms
    try {
      const { structured } = await this.call("k_eval", { code, session, ...(timeout_ms !== undefined && { timeout_ms }) })
      // Opening the session replaces the transcript, so the answer is added after that.
      await this.follower.shows(session)
      const isRead = await this.follower.catchUp().then(
        () => true,
        () => false,
      )
      if (this.session.value !== session) return
      if (isRead || this.sessions.value.some(({ name, ephemeral }) => name === session && ephemeral === true))
        return this.answer(asked, before, structured)
      // The history tells the rest when it can be read again.
      this.message.value = structured?.error?.text ?? structured?.notice ?? ""
      this.follower.refresh("history")
    } catch (error) {
      this.follower.failed(code)
      this.leaveUnanswered(asked)
      this.message.value = (error as Error).message
    } finally {
      this.settle(asked)
      this.follower.refresh("status", "names")
    }
  }

  /** Calls a tool and shows its error or notice beside the input. Undefined when no reply came. */
  async tell(name: string, args: object): Promise<ToolReply | undefined> {
    try {
      const reply = await this.call(name, args)
      this.message.value = reply.structured?.error?.text ?? reply.structured?.notice ?? ""
      this.follower.refresh("status", "history", "names")
      return reply
    } catch (error) {
      this.message.value = (error as Error).message
      return undefined
    }
  }

  stop(): Promise<unknown> {
    return this.tell("k_session", { action: "interrupt", name: this.session.value })
  }

  /** Fetches the entries before the oldest shown. */
  async recall(): Promise<void> {
    const session = this.session.value
    const { older } = this.transcript.value
    if (older === undefined) return
    try {
      const page = await readPage(this.connection, session, { limit: pageOf, cursor: older })
      if (session !== this.session.value) return
      if (this.transcript.value.older === older) {
        this.transcript.value = recalled(this.transcript.value, page.entries, page.cursor)
        this.follower.lookForPlots()
      } else if (!this.following.value) await this.recall()
      else this.message.value = "New entries came meanwhile. Scroll up, then ask for the older ones again."
    } catch (error) {
      this.message.value = (error as Error).message
    }
  }

  private async fetchWhole({ n }: HistoryReplyEntry): Promise<void> {
    const { structured } = await this.call("k_history", { action: "show", session: this.session.value, n })
    const whole: HistoryReplyEntry | undefined = structured?.entries?.[0]
    if (whole !== undefined) this.transcript.value = completed(this.transcript.value, whole)
  }
}

/**
 * `k3 --attach`: a console on a session of a running server, in which an agent works. It shows the agent's evaluations as they happen, and
 * evaluates typed statements in the same session, through its queue.
 *
 * Guarantees: the console is an ordinary MCP client and can do nothing that an agent could not do; other callers' evaluations are shown once, in the
 * order of the session's history, also those made while the connection was lost. Does not: end the server or its interpreter.
 */
import type { Statement } from "../k3/text/statements.ts"
import type { AttachRequest } from "../repl/attach.ts"
import { belowMatches, type Talk, Terminal } from "../repl/Terminal.ts"
import { findServer } from "./find.ts"
import { type HistoryReplyEntry, follow, type Following, nothingYet, type EvalReply } from "./follow.ts"
import { entryLines, type Line, plotLines, replyLines, runningLine } from "./lines.ts"
import { ConsoleLink } from "./ConsoleLink.ts"
import { type HistoryReplyPage, readNews } from "./readNews.ts"
import { type Plot, plotNumbers, plotsOf, type Unanswered } from "./wire.ts"

/** The number of earlier entries that are shown at the start. */
const earlierEntries = 5
/** The number of requests for whole entries that are under way at once. */
const wholesAtOnce = 8
/** The time after which a look at the history that failed is repeated, ms. */
const lookAgain = 1000
/** The longest time that the server gets for a completion, ms: until then the line editor takes no key. */
const completionWithin = 2000

class Attached implements Talk {
  private readonly link: ConsoleLink
  private terminal: Terminal | undefined
  private following: Following = { caller: "", cursor: nothingYet, asked: undefined, dropped: [] }
  private abort: AbortController | undefined
  private longest: number | undefined
  private runs: string | undefined
  /** The time of the last entry that is not shown at the start. */
  private earlier = ""
  /** The numbers of the session's plots at the last look, and the plots themselves by address and time. */
  private plotNumbers = ""
  private plots: ReadonlySet<string> = new Set()
  /** The next look at the history after a failed look. */
  private repeat: NodeJS.Timeout | undefined

  constructor(private readonly request: AttachRequest) {
    this.link = new ConsoleLink({
      find: () => findServer(request.target, process.cwd(), process.env),
      version: request.version,
      watched: `k3://sessions/${encodeURIComponent(request.session)}/history`,
      onChange: () => this.look(),
      onLost: () => this.say([{ text: "The server is gone; it is looked for until it is there again.\n", style: "2" }]),
      onRefused: (problem) => this.say([{ text: `${problem}\n`, style: "31" }]),
      onBack: () => this.back(),
    })
  }

  /** Attaches to the session; returns a sentence if that fails. */
  async begin(): Promise<string | undefined> {
    const { session, version } = this.request
    const problem = await this.link.connect()
    if (problem !== undefined) return problem.problem
    try {
      const status = await this.open()
      const last = (await this.page({ limit: earlierEntries + 1 })).entries
      this.following = { ...this.following, cursor: last.length > earlierEntries ? last[0]! : nothingYet }
      this.earlier = this.following.cursor.at
      process.stdout.write(
        `k3 ${version}, attached to session ${session} (${status.engine}) at ${status.http}   \\stop ends what another asked for, \\\\ leaves\n`,
      )
      this.terminal = new Terminal(this)
      this.terminal.prompt()
      this.look()
      return undefined
    } catch (error) {
      return `The server does not let a console watch session ${session}: ${(error as Error).message}`
    }
  }

  async evaluate({ source }: Statement): Promise<void> {
    const code = source.trim()
    if (code === "\\\\") process.exit(0)
    return code === "\\stop" ? this.stop() : this.ask(source)
  }

  interrupt(): void {
    this.abort?.abort()
  }

  get systemNames(): readonly string[] {
    return this.request.systemNames
  }

  async scripts(): Promise<readonly string[]> {
    const signal = AbortSignal.timeout(completionWithin)
    const { scripts = [] } = await this.link.call("k_session", { action: "scripts" }, signal).catch(() => ({}))
    return (scripts as readonly { readonly file: string }[]).map(({ file }) => file)
  }

  variables({ word }: { readonly word: string }): Promise<readonly string[]> {
    const { session } = this.request
    return this.link.complete("k3://sessions/{session}/state/{path}", { name: "path", value: word }, session, completionWithin)
  }

  help(topic: string): Promise<void> {
    // The tool's last line tells an agent what to call.
    return this.tell("k_help", { query: topic, session: this.request.session }, (text, { next, matches } = {}) =>
      matches === undefined ? text : text.replace(next, () => belowMatches(topic, matches)),
    )
  }

  /** Makes the session if it does not exist, starts watching it, and returns its status. */
  private async open(): Promise<any> {
    const { session } = this.request
    // `k_inspect` makes a session that does not exist.
    await this.link.call("k_inspect", { session })
    const status = await this.link.call("k_status", { session })
    this.longest = status.limits?.eval_timeout_max_ms
    // A server of an earlier version does not tell it.
    this.following = { ...this.following, caller: status.caller ?? "console" }
    await this.link.watch()
    return status
  }

  private async back(): Promise<void> {
    await this.open()
    // Another server numbers its plots from 1.
    this.plotNumbers = ""
    this.say([{ text: "The server is there again.\n", style: "2" }])
    await this.show()
  }

  private async ask(code: string): Promise<void> {
    const { session } = this.request
    this.abort = new AbortController()
    this.following = { ...this.following, asked: { code } }
    try {
      const reply = await this.link.call(
        "k_eval",
        { code, session, ...(this.longest !== undefined && { timeout_ms: this.longest }) },
        this.abort.signal,
      )
      this.following = { ...this.following, asked: { code, reply: reply as EvalReply } }
    } catch (error) {
      const { dropped } = this.following
      const isMine = this.abort.signal.aborted
      this.following = { ...this.following, asked: undefined, dropped: isMine ? [...dropped, code] : dropped }
      const text = isMine ? "interrupted" : `${(error as Error).message} Whether it ran, the history tells.`
      return this.say([{ text: `${text}\n`, style: "31" }])
    } finally {
      this.abort = undefined
    }
    await this.show().catch(() => {})
    // The history could not be read: the reply is shown by itself.
    const { asked } = this.following
    if (asked?.reply === undefined) return
    this.following = { ...this.following, asked: undefined }
    this.say(replyLines(asked.reply))
  }

  private stop(): Promise<void> {
    return this.tell("k_session", { action: "interrupt", name: this.request.session })
  }

  private async tell(tool: string, args: object, reworded: (text: string, structured?: any) => string = (text) => text): Promise<void> {
    const { signal } = (this.abort = new AbortController())
    const { text, structured } = await this.link
      .text(tool, args, signal)
      .catch((error: Unanswered) => ({ text: signal.aborted ? "interrupted" : error.message, structured: undefined }))
    this.abort = undefined
    this.say([{ text: `${reworded(text, structured)}\n` }])
  }

  /** Shows the new entries of the history, with the reply of this console in its place. */
  private show(): Promise<void> {
    return this.link.inTurn(async () => {
      const { asked } = this.following
      const entries = await this.wholes(await readNews((range) => this.page(range), this.following.cursor))
      // A statement may have been typed, answered or interrupted meanwhile.
      const [shown, following] = follow(this.following, entries, asked)
      this.following = following
      for (const each of shown) this.say("entry" in each ? entryLines(each.entry) : replyLines(each.reply))
      await this.showPlots()
      await this.showRunning()
    })
  }

  /** Shows the new entries, as soon as the server lets the console read them. */
  private look(): void {
    this.show().catch(() => {
      this.repeat ??= setTimeout(() => {
        this.repeat = undefined
        this.look()
      }, lookAgain)
    })
  }

  private async showRunning(): Promise<void> {
    if (this.following.asked !== undefined) return
    const { running } = await this.link.call("k_status", { session: this.request.session })
    const statement = (running as { readonly statement: string } | undefined)?.statement
    if (statement !== undefined && statement !== this.runs && this.following.asked === undefined) this.say([runningLine(statement)])
    this.runs = statement
  }

  /** Shows the plots that are new; at first, those that were drawn since `earlier`. */
  private async showPlots(): Promise<void> {
    const { session } = this.request
    const numbers = await this.link.ask((client) => plotNumbers(client, session))
    if (numbers === this.plotNumbers) return
    const all = (await this.link.ask((client) => plotsOf(client, session))).filter(({ at }) => at > this.earlier)
    const keyOf = ({ uri, at }: Plot): string => `${uri} ${at}`
    for (const plot of all) if (!this.plots.has(keyOf(plot))) this.say(plotLines(plot))
    this.plots = new Set(all.map(keyOf))
    this.plotNumbers = numbers
  }

  private async page(range: object): Promise<HistoryReplyPage> {
    const { entries = [], cursor } = await this.link.call("k_history", { action: "list", session: this.request.session, ...range })
    return { entries, ...(cursor !== undefined && { cursor }) }
  }

  /** The server takes only so many requests at once, and there may be very many entries. */
  private async wholes(entries: readonly HistoryReplyEntry[]): Promise<readonly HistoryReplyEntry[]> {
    const all: HistoryReplyEntry[] = []
    for (let from = 0; from < entries.length; from += wholesAtOnce) {
      const some = await Promise.all(entries.slice(from, from + wholesAtOnce).map(({ n }) => this.whole(n)))
      all.push(...some.flatMap((each) => each ?? []))
    }
    return all
  }

  private async whole(n: number): Promise<HistoryReplyEntry | undefined> {
    const { entries = [] } = await this.link.call("k_history", { action: "show", session: this.request.session, n })
    return (entries as readonly HistoryReplyEntry[])[0]
  }

  private say(lines: readonly Line[]): void {
    if (lines.length === 0) return
    const { terminal } = this
    terminal?.beside(() => {
      for (const { text, style } of lines) terminal.say(style, text)
    })
  }
}

export const attach = async (request: AttachRequest): Promise<void> => {
  const problem = await new Attached(request).begin()
  if (problem === undefined) return
  request.complain(problem)
  // An open connection would keep the process running.
  process.exit(2)
}

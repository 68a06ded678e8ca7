/**
 * The attached console's connection to a server, as an MCP client of the modern era, which has no transport session that a restart could lose.
 *
 * Guarantees: when the server goes, `onLost` is called once, and the server is sought until it answers again, at a new address too; calls made
 * meanwhile fail with a sentence. Does not: repeat calls.
 */
import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { completions, firstWait, isGone, isRefused, makeClient, nextWait, noTimeout, reconnectionOptions, Unanswered } from "./wire.ts"
import { badToken, type ServerFound, notAnswering, type NoServer } from "./find.ts"

interface Parts {
  readonly find: () => ServerFound | NoServer
  readonly version: string
  /** The address of the watched resource. */
  readonly watched: string
  /** Called when the resource may have changed. */
  readonly onChange: () => void
  readonly onLost: () => void
  /** Called once in a search when a server is there and does not accept the token; the search goes on. */
  readonly onRefused: (problem: string) => void
  /** Called when the server answers again; after a failure of it the search goes on. */
  readonly onBack: () => Promise<void>
}

/** Distinguishes this console from other clients (`mcp/callerOf.ts`). */
const clientMeta = { "io.github.k3-mcp/client": crypto.randomUUID() }

export class ConsoleLink {
  private client: Client | undefined
  private isLooking = false
  private tail: Promise<unknown> = Promise.resolve()

  constructor(private readonly parts: Parts) {}

  /** Connects once; returns the problem if that fails. */
  async connect(): Promise<(NoServer & { readonly isRefused?: boolean }) | undefined> {
    const { find, version } = this.parts
    const found = find()
    if ("problem" in found) return found
    const client = makeClient("k3-console", version, { pin: "2026-07-28" })
    const transport = new StreamableHTTPClientTransport(new URL(found.url), {
      requestInit: { headers: { authorization: `Bearer ${found.token}` } },
      reconnectionOptions,
    })
    try {
      await client.connect(transport)
      this.client = client
      return undefined
    } catch (error) {
      if (isRefused(error)) return { problem: badToken(found), isRefused: true }
      if (isGone(error)) return { problem: notAnswering(found) }
      return { problem: `${found.url} is no k3-mcp that can be attached to: ${(error as Error).message}` }
    }
  }

  /** Starts watching the resource, which must exist. */
  async watch(): Promise<void> {
    const { watched, onChange } = this.parts
    const client = this.client!
    client.setNotificationHandler("notifications/resources/updated", () => onChange())
    const listening = await client.listen({ resourceSubscriptions: [watched] }, { timeout: 30_000 })
    void listening.closed.then(() => (this.client === client ? this.lost() : undefined))
  }

  /** The structured content of a tool's reply; throws `Unanswered`. */
  async call(name: string, args: object, signal?: AbortSignal): Promise<any> {
    return (await this.reply(name, args, signal)).structuredContent
  }

  /** The text of a tool's reply beside its structured content; throws `Unanswered`. */
  async text(name: string, args: object, signal: AbortSignal): Promise<{ readonly text: string; readonly structured?: any }> {
    const { content, structuredContent } = await this.reply(name, args, signal)
    return { text: content.map((each) => (each.type === "text" ? each.text : "")).join("\n"), structured: structuredContent }
  }

  private reply(name: string, args: object, signal?: AbortSignal) {
    const asked = { name, arguments: { ...args }, _meta: clientMeta }
    return this.ask((client) => client.callTool(asked, { timeout: noTimeout, ...(signal !== undefined && { signal }) }))
  }

  /** Asks the server a question; throws `Unanswered`. */
  async ask<A>(question: (client: Client) => Promise<A>): Promise<A> {
    const { client } = this
    if (client === undefined) throw new Unanswered("The server is not there.")
    try {
      return await question(client)
    } catch (error) {
      // A connection that was dropped ends its requests with words of its own.
      throw new Unanswered(isGone(error) || this.client !== client ? "The server is gone." : (error as Error).message, { cause: error })
    }
  }

  /** No completions when the server does not answer within `timeout`, ms. */
  async complete(
    pattern: string,
    argument: { readonly name: string; readonly value: string },
    session: string,
    timeout: number,
  ): Promise<readonly string[]> {
    const { client } = this
    return client === undefined ? [] : completions(client, pattern, argument, session, { timeout }).catch(() => [])
  }

  /** Runs tasks one after the other, in the order of the calls. */
  inTurn<A>(task: () => Promise<A>): Promise<A> {
    const done = this.tail.then(task)
    this.tail = done.catch(() => {})
    return done
  }

  private drop(): void {
    void this.client?.close().catch(() => {})
    this.client = undefined
  }

  private async lost(): Promise<void> {
    const { onLost, onRefused, onBack } = this.parts
    this.drop()
    if (this.isLooking) return
    this.isLooking = true
    onLost()
    let wasRefused = false
    for (let wait = firstWait; this.client === undefined; wait = nextWait(wait)) {
      await new Promise((resolve) => setTimeout(resolve, wait))
      const found = await this.connect()
      if (found === undefined) await onBack().catch(() => this.drop())
      else if (found.isRefused === true && !wasRefused) {
        wasRefused = true
        onRefused(found.problem)
      }
    }
    this.isLooking = false
  }
}

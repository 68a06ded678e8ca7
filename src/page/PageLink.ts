/**
 * The page's connection to its server, as an MCP client. The browser's cookie is the credential.
 *
 * Guarantees: calls made before the first connection wait for it. A lost server is reported once, and the link reconnects until the server answers;
 * calls made meanwhile fail with a sentence and are never repeated. Does not: keep any replies.
 */
import { type Client, type McpSubscription, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { forPeople } from "../attach/forPeople.ts"
import {
  completions,
  firstWait,
  isGone,
  isRefused,
  makeClient,
  nextWait,
  noTimeout,
  reconnectionOptions,
  Unanswered,
} from "../attach/wire.ts"

export type LinkState = "connecting" | "here" | "gone" | "refused"

interface Parts {
  readonly url: URL
  readonly onState: (state: LinkState) => void
  /** The resource of this address may have changed. */
  readonly onChange: (uri: string) => void
}

/** The reply of a tool, without its advice for agents. */
export interface ToolReply {
  readonly structured: any
}

export class PageLink {
  private client: Client | undefined
  private subscription: McpSubscription | undefined
  private isLooking = false
  private begin = (): void => {}
  /** Resolves when the server has answered or refused for the first time. */
  private readonly begun = new Promise<void>((resolve) => (this.begin = resolve))

  /** Is the page being left? */
  private isLeft = false
  /** Requests that are made while the page is left still arrive. */
  private readonly fetch: typeof fetch = (url, init) => fetch(url, { ...init, keepalive: this.isLeft })

  constructor(private readonly parts: Parts) {}

  /** The page is being left. */
  leave(): void {
    this.isLeft = true
  }

  /** The page is shown again. `isOld`: as the browser has kept it, without its connection. */
  comeBack(isOld: boolean): void {
    this.isLeft = false
    if (isOld) this.lost()
  }

  /** Resolves when the server answers; never when it refuses this browser. */
  async connect(): Promise<void> {
    if (this.isLooking) return
    this.isLooking = true
    for (let wait = firstWait; ; wait = nextWait(wait)) {
      const outcome = await this.attempt()
      if (outcome === "gone") {
        await new Promise((resolve) => setTimeout(resolve, wait))
        continue
      }
      this.isLooking = false
      this.begin()
      return this.parts.onState(outcome)
    }
  }

  private async attempt(): Promise<"here" | "gone" | "refused"> {
    const client = makeClient("k3-page", "1", "auto")
    try {
      await client.connect(new StreamableHTTPClientTransport(this.parts.url, { reconnectionOptions, fetch: this.fetch }))
    } catch (error) {
      return isRefused(error) ? "refused" : "gone"
    }
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => this.parts.onChange(params.uri))
    this.client = client
    return "here"
  }

  /** Replaces the subscription: from now on changes of these resources are reported, and of no others. False when that failed. */
  async watch(addresses: readonly string[]): Promise<boolean> {
    const { client, subscription: before } = this
    if (client === undefined) return false
    try {
      const subscription = await client.listen({ resourceSubscriptions: [...addresses] }, { timeout: 30_000 })
      this.subscription = subscription
      void before?.close().catch(() => {})
      void subscription.closed.then((how) => (how !== "local" && this.client === client ? this.lost() : undefined))
      return true
    } catch (error) {
      this.noteOf(error, client)
      return false
    }
  }

  /** Throws `Unanswered`. */
  async call(name: string, args: object): Promise<ToolReply> {
    const { structuredContent } = await this.ask((client) => client.callTool({ name, arguments: { ...args } }, { timeout: noTimeout }))
    const structured = structuredContent as { readonly error?: { readonly text: string }; readonly notice?: string }
    const { error, notice } = structured
    return {
      structured: {
        ...structured,
        ...(error !== undefined && { error: { ...error, text: forPeople(error.text) } }),
        ...(notice !== undefined && { notice: forPeople(notice) }),
      },
    }
  }

  /** The text of a resource; throws `Unanswered`. */
  async read(uri: string): Promise<string> {
    const { contents } = await this.ask((client) => client.readResource({ uri }))
    return contents.map((each) => ("text" in each ? each.text : "")).join("")
  }

  /** The completions of `value`, an argument of a resource's address; throws `Unanswered`. */
  complete(uri: string, argument: { readonly name: string; readonly value: string }, session: string): Promise<readonly string[]> {
    return this.ask((client) => completions(client, uri, argument, session))
  }

  /** Asks the server a question; throws `Unanswered`. */
  async ask<A>(question: (client: Client) => Promise<A>): Promise<A> {
    await this.begun
    const { client } = this
    if (client === undefined) throw new Unanswered("The server does not answer.")
    try {
      return await question(client)
    } catch (error) {
      throw new Unanswered(this.noteOf(error, client), { cause: error })
    }
  }

  /** The error of a request of `client` in words. Also records that the server is gone or refuses this browser. */
  private noteOf(error: unknown, client: Client): string {
    if (isRefused(error)) {
      this.client = undefined
      this.parts.onState("refused")
      return "The server does not take this browser's login any more."
    }
    // A connection that was dropped ends its requests with words of its own.
    if (this.client === client) {
      if (!isGone(error)) return (error as Error).message
      this.lost()
    }
    return "The server is gone."
  }

  private lost(): void {
    // The browser ends the subscription when the page is left.
    if (this.client === undefined || this.isLeft) return
    void this.client.close().catch(() => {})
    this.client = undefined
    this.subscription = undefined
    this.parts.onState("gone")
    void this.connect()
  }
}

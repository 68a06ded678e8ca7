/**
 * The connection to the server that gave the page, as one of its MCP clients; the browser shows who it is by a cookie.
 *
 * Guarantees: when the server goes, that is told once, and it is looked for until it is there again; what was asked meanwhile fails with
 * words, and is never asked again. Does not: keep anything of what was said.
 */
import { Client, type McpSubscription, SdkHttpError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"

export type LinkState = "connecting" | "here" | "gone" | "refused"

interface Parts {
  readonly url: URL
  readonly onState: (state: LinkState) => void
  /** The resource of this address may say something else. */
  readonly onChange: (uri: string) => void
}

/** ms between two attempts to find the server again. */
const firstWait = 100
const longestWait = 2000
/** As long as a timer can be: the server has deadlines of its own. */
const noTimeout = 2 ** 31 - 1

/** Replies are the server's own: nothing is left for JSON Schema to say. */
const jsonSchemaValidator = {
  getValidator: () => (input: unknown) => ({ valid: true as const, data: input as never, errorMessage: undefined }),
}

const statusOf = (error: unknown): number | undefined => {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof SdkHttpError) return each.status
  return undefined
}

/** What is told of a call that failed on its way. */
export class Unanswered extends Error {}

/** What a tool replied. */
export interface ToolReply {
  readonly structured: any
  readonly text: string
  /** Pictures, as `data:` addresses. */
  readonly images: readonly string[]
}

export class Link {
  private client: Client | undefined
  private subscription: McpSubscription | undefined
  private isLooking = false

  constructor(private readonly parts: Parts) {}

  /** Resolves when the server is there; never when it refuses this browser. */
  async connect(): Promise<void> {
    if (this.isLooking) return
    this.isLooking = true
    for (let wait = firstWait; ; wait = Math.min(2 * wait, longestWait)) {
      const outcome = await this.attempt()
      if (outcome === "gone") {
        await new Promise((resolve) => setTimeout(resolve, wait))
        continue
      }
      this.isLooking = false
      return this.parts.onState(outcome)
    }
  }

  private async attempt(): Promise<"here" | "gone" | "refused"> {
    const client = new Client({ name: "k3-page", version: "1" }, { jsonSchemaValidator, versionNegotiation: { mode: "auto" } })
    const reconnectionOptions = { maxRetries: 0, initialReconnectionDelay: 1, maxReconnectionDelay: 1, reconnectionDelayGrowFactor: 1 }
    try {
      await client.connect(new StreamableHTTPClientTransport(this.parts.url, { reconnectionOptions }))
    } catch (error) {
      const status = statusOf(error)
      return status === 401 || status === 403 ? "refused" : "gone"
    }
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => this.parts.onChange(params.uri))
    this.client = client
    return "here"
  }

  /** From now on changes of these are told, and of no others. False when one of them is not there. */
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
      this.noteOf(error)
      return false
    }
  }

  /** Throws `Unanswered`. */
  async call(name: string, args: object, signal?: AbortSignal): Promise<ToolReply> {
    const { content, structuredContent } = await this.ask((client) =>
      client.callTool({ name, arguments: { ...args } }, { timeout: noTimeout, ...(signal !== undefined && { signal }) }),
    )
    return {
      structured: structuredContent,
      text: content.flatMap((each) => (each.type === "text" ? [each.text] : [])).join("\n"),
      images: content.flatMap((each) => (each.type === "image" ? [`data:${each.mimeType};base64,${each.data}`] : [])),
    }
  }

  /** The text of a resource; throws `Unanswered`. */
  async read(uri: string): Promise<string> {
    const { contents } = await this.ask((client) => client.readResource({ uri }))
    return contents.map((each) => ("text" in each ? each.text : "")).join("")
  }

  /** All resources whose address begins so. */
  async resources(begin: string): Promise<readonly { readonly uri: string; readonly title: string; readonly at: string }[]> {
    const { resources } = await this.ask((client) => client.listResources())
    return resources.flatMap(({ uri, title, name, annotations }) =>
      uri.startsWith(begin) ? [{ uri, title: title ?? name, at: annotations?.lastModified ?? "" }] : [],
    )
  }

  /** What completes `value`, an argument of a resource's address. */
  async complete(uri: string, argument: { readonly name: string; readonly value: string }, session: string): Promise<readonly string[]> {
    const ref = { type: "ref/resource" as const, uri }
    const asked = { ref, argument, context: { arguments: { session } } }
    const found = await this.ask((client) => client.complete(asked)).catch(() => undefined)
    return found?.completion.values ?? []
  }

  private async ask<A>(question: (client: Client) => Promise<A>): Promise<A> {
    const { client } = this
    if (client === undefined) throw new Unanswered("The server does not answer.")
    try {
      return await question(client)
    } catch (error) {
      throw new Unanswered(this.noteOf(error), { cause: error })
    }
  }

  /** What is wrong, in words; that the server is gone, or refuses, is noted. */
  private noteOf(error: unknown): string {
    const status = statusOf(error)
    if (status === 401 || status === 403) {
      this.client = undefined
      this.parts.onState("refused")
      return "The server does not take this browser's login any more."
    }
    const isGone = (status ?? 0) >= 500 || error instanceof TypeError || (error instanceof Error && error.cause instanceof TypeError)
    if (isGone) this.lost()
    return isGone ? "The server is gone." : (error as Error).message
  }

  private lost(): void {
    if (this.client === undefined) return
    void this.client.close().catch(() => {})
    this.client = undefined
    this.subscription = undefined
    this.parts.onState("gone")
    void this.connect()
  }
}

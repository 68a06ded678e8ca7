/**
 * The host around a view, by the protocol of MCP Apps (2026-01-26): JSON-RPC over `postMessage` with the parent frame alone. Takes on the host's
 * theme and reports the view's height. Does not: ask the host for anything but tool calls.
 */
interface Message {
  readonly jsonrpc: "2.0"
  readonly id?: number | string
  readonly method?: string
  readonly params?: any
  readonly result?: any
  readonly error?: { readonly message: string }
}

const themed = (theme: unknown): void => {
  if (theme === "dark" || theme === "light") document.documentElement.style.colorScheme = theme
}

export class AppHost {
  private next = 1
  private readonly waiting = new Map<unknown, { readonly resolve: (result: any) => void; readonly reject: (error: Error) => void }>()

  constructor(private readonly onNotice: (method: string, params: any) => void) {
    window.addEventListener("message", ({ source, data }) => source === window.parent && this.receive(data as Message))
  }

  /** Introduces the view to the host, takes on the host's theme, and reports the view's height from then on. */
  async start(name: string): Promise<void> {
    const page = document.documentElement
    const size = () => this.notify("ui/notifications/size-changed", { height: Math.ceil(page.getBoundingClientRect().height) })
    new ResizeObserver(size).observe(page)
    const { hostContext } = await this.request("ui/initialize", {
      appInfo: { name, version: "1" },
      appCapabilities: {},
      protocolVersion: "2026-01-26",
    })
    this.notify("ui/notifications/initialized", {})
    themed(hostContext?.theme)
  }

  /** The structured content of the reply; a tool's error is in it. */
  async call(name: string, args: object): Promise<any> {
    const { structuredContent } = await this.request("tools/call", { name, arguments: args })
    return structuredContent
  }

  private notify(method: string, params: any): void {
    this.send({ jsonrpc: "2.0", method, params })
  }

  private request(method: string, params: any): Promise<any> {
    const id = this.next++
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject })
      this.send({ jsonrpc: "2.0", id, method, params })
    })
  }

  private send(message: Message): void {
    // The origin of the parent frame is not known. The message is no secret from the party that opened the view.
    window.parent.postMessage(message, "*")
  }

  private receive({ id, method, params = {}, result, error }: Message): void {
    if (method === "ui/notifications/host-context-changed") return themed(params.theme)
    if (method !== undefined && id === undefined) return this.onNotice(method, params)
    // Requests of the host: a ping, or the announcement that the view ends.
    if (method !== undefined) return this.send({ jsonrpc: "2.0", id: id!, result: {} })
    const waiting = this.waiting.get(id)
    this.waiting.delete(id)
    if (error === undefined) waiting?.resolve(result)
    else waiting?.reject(new Error(error.message))
  }
}

/** A proxy before PostgreSQL that closes a connection at a chosen moment, or passes nothing on. */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"

export class CuttingProxy {
  /** The number of connections to close at their next `cutAt`: the database commits, and its answer does not reach the client. */
  cuts = 0
  /** PostgreSQL answers a command with its tag. */
  cutAt = "COMMIT\0"
  /** A connection that sends data with this text is closed. */
  refused: string | undefined
  /** Data of the database with this text is dropped, so that the client waits and the database sees it stand still. */
  withheld: string | undefined
  private readonly server: Server
  private readonly sockets = new Set<Socket>()
  private readonly silent = new WeakSet<Socket>()

  private constructor(private readonly target: number) {
    this.server = createServer((client) => this.join(client))
  }

  static async before(port: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(port)
    proxy.server.listen(0, "127.0.0.1")
    await once(proxy.server, "listening")
    return proxy
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  /** The present connections stay open and pass nothing on any more, like those that a network has forgotten. */
  silence(): void {
    for (const socket of this.sockets) this.silent.add(socket)
  }

  private join(client: Socket): void {
    const server = connect(this.target, "127.0.0.1")
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => {
        this.sockets.delete(socket)
        other.destroy()
      })
    }
    server.on("data", (data) => {
      if (this.silent.has(server)) return
      if (this.cuts > 0 && data.includes(this.cutAt)) {
        this.cuts--
        client.destroy()
      } else if (this.withheld === undefined || !data.includes(this.withheld)) client.write(data)
    })
    client.on("data", (data) => {
      if (this.silent.has(client)) return
      if (this.refused !== undefined && data.includes(this.refused)) client.destroy()
      else server.write(data)
    })
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    this.server.close()
    await once(this.server, "close")
  }
}

/** A proxy before PostgreSQL that ends a connection at the worst moment. */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"

export class CuttingProxy {
  /** Connections to end at their next commit: the database has done what it was told, and the client never hears. */
  cuts = 0
  /** A connection ends that has this in what it sends. */
  refused: string | undefined
  /** What has this in it never comes back: to the database its client stands still. */
  withheld: string | undefined
  private readonly server: Server
  private readonly sockets = new Set<Socket>()

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
    // PostgreSQL tells what it has done: the tag of the command comes back.
    server.on("data", (data) => {
      if (this.cuts > 0 && data.includes("COMMIT\0")) {
        this.cuts--
        client.destroy()
      } else if (this.withheld === undefined || !data.includes(this.withheld)) client.write(data)
    })
    client.on("data", (data) => {
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

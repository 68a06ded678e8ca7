/**
 * Limits the number of HTTP connections. Pure.
 *
 * Guarantees: at most `most` connections are held; a connection with a running request is never chosen to be closed. A new connection replaces an
 * idle one: first an idle one that has shown no token, and among these one of the address or space with the most idle ones. Does not: close
 * connections.
 */

interface Held {
  /** The remote address; after a token was shown, the token's space. */
  readonly whose: string
  readonly isStranger: boolean
  /** The number of running requests. */
  readonly busy: number
}

export class Connections<Connection> {
  /** In order of their last change, the longest idle first. */
  private readonly all = new Map<Connection, Held>()

  constructor(private readonly most: number) {}

  has(connection: Connection): boolean {
    return this.all.has(connection)
  }

  /** Adds a new connection. Returns the connection to close: an idle one, or the new one if none is idle; undefined if there is room. */
  add(connection: Connection, address: string): Connection | undefined {
    const loser = this.all.size < this.most ? undefined : (this.waiting(true) ?? this.waiting(false) ?? connection)
    if (loser !== undefined) this.all.delete(loser)
    if (loser !== connection) this.all.set(connection, { whose: address, isStranger: true, busy: 0 })
    return loser
  }

  remove(connection: Connection): void {
    this.all.delete(connection)
  }

  /** Called when the connection has shown a token of that space. */
  shown(connection: Connection, space: string): void {
    this.change(connection, () => ({ whose: space, isStranger: false }))
  }

  begin(connection: Connection): void {
    this.change(connection, ({ busy }) => ({ busy: busy + 1 }))
  }

  end(connection: Connection): void {
    this.change(connection, ({ busy }) => ({ busy: busy - 1 }))
  }

  private change(connection: Connection, change: (held: Held) => Partial<Held>): void {
    const held = this.all.get(connection)
    if (held === undefined) return
    this.all.delete(connection)
    this.all.set(connection, { ...held, ...change(held) })
  }

  /** The longest idle connection of the address or space with the most idle ones. */
  private waiting(isStranger: boolean): Connection | undefined {
    const idle = [...this.all].filter(([, held]) => held.busy === 0 && held.isStranger === isStranger)
    const counts = new Map<string, number>()
    for (const [, { whose }] of idle) counts.set(whose, (counts.get(whose) ?? 0) + 1)
    const highest = Math.max(...counts.values())
    return idle.find(([, { whose }]) => counts.get(whose) === highest)?.[0]
  }
}

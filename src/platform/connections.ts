/**
 * Which connections over HTTP have a place. Pure.
 *
 * Guarantees: there are no more than `most`; one with a request under way keeps its place; a newcomer gets that of one that waits, of those
 * that have shown no token before all others, and among them of whoever has most. Does not: close anything.
 */

interface Held {
  /** Whom it counts for: the address that it came from, until a token was shown on it. */
  readonly whose: string
  readonly isStranger: boolean
  /** Requests under way. */
  readonly busy: number
}

export class Connections<Connection> {
  /** The one that began to wait longest ago is first. */
  private readonly all = new Map<Connection, Held>()

  constructor(private readonly most: number) {}

  has(connection: Connection): boolean {
    return this.all.has(connection)
  }

  /** Gives a place to a newcomer, or to nobody; and who lost its own. */
  add(connection: Connection, address: string): Connection | undefined {
    const loser = this.all.size < this.most ? undefined : (this.waiting(true) ?? this.waiting(false) ?? connection)
    if (loser !== undefined) this.all.delete(loser)
    if (loser !== connection) this.all.set(connection, { whose: address, isStranger: true, busy: 0 })
    return loser
  }

  remove(connection: Connection): void {
    this.all.delete(connection)
  }

  /** A token of that space was shown. */
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

  /** Of whoever has most that wait, the one that waits longest. */
  private waiting(isStranger: boolean): Connection | undefined {
    const idle = [...this.all].filter(([, held]) => held.busy === 0 && held.isStranger === isStranger)
    const counts = new Map<string, number>()
    for (const [, { whose }] of idle) counts.set(whose, (counts.get(whose) ?? 0) + 1)
    const highest = Math.max(...counts.values())
    return idle.find(([, { whose }]) => counts.get(whose) === highest)?.[0]
  }
}

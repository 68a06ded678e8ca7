/**
 * The open spaces of principals, and for each the endpoints of its credentials.
 *
 * Guarantees: a space is opened once, at its first request; each credential has an endpoint of its own; a space whose limits have
 * changed is closed, which writes its sessions, and opened again with the new limits. From `most` spaces on, each new one takes the place of an
 * unused one, which has no open session and no request under way: the least recently used. Does not: close unused spaces earlier; their sessions end
 * after their idle time.
 */
import { localSpace, type Principal } from "./Principal.ts"
import type { OpenSpace, Space } from "../Space.ts"
import type { McpEndpoint } from "./McpEndpoint.ts"

interface Entry {
  readonly limits: string
  readonly opened: Promise<OpenSpace>
  readonly endpoints: Map<string, McpEndpoint>
}

interface Parts {
  readonly local: OpenSpace
  /** The most spaces of principals beside the local one. */
  readonly most: number
  /** Is a request of this principal under way? */
  readonly isServing: (space: string) => boolean
  /** Rejects with an `Error` whose message is a sentence. */
  readonly open: (principal: Principal) => Promise<OpenSpace>
  readonly makeEndpoint: (space: Space, principal: Principal) => McpEndpoint
}

export class Spaces {
  /** The space that was used last is at the end. */
  private readonly all = new Map<string, Entry>()
  /** The spaces that are being closed for others. Each opens again only after that. */
  private readonly closing = new Map<string, Promise<void>>()

  constructor(private readonly parts: Parts) {
    this.all.set(localSpace, { limits: "", opened: Promise.resolve(parts.local), endpoints: new Map() })
  }

  async endpoint(principal: Principal): Promise<McpEndpoint> {
    const { endpoints, opened } = this.entry(principal)
    const space = await opened
    const key = `${principal.readOnly ? "r" : "w"} ${principal.credential}`
    const endpoint = endpoints.get(key) ?? this.parts.makeEndpoint(principal.readOnly ? space.readOnly : space.full, principal)
    endpoints.set(key, endpoint)
    return endpoint
  }

  /** Closes all endpoints, which ends open streams. The spaces themselves close with the server. */
  async close(): Promise<void> {
    await Promise.all([...this.all.values()].flatMap(({ endpoints }) => Array.from(endpoints.values(), (endpoint) => endpoint.close())))
  }

  private entry(principal: Principal): Entry {
    const { space } = principal
    const limits = space === localSpace ? "" : JSON.stringify({ ...principal.limits, calls: undefined })
    const present = this.all.get(space)
    const entry = present?.limits === limits ? present : this.begin(principal, limits, present)
    this.all.delete(space)
    this.all.set(space, entry)
    return entry
  }

  /** Begins to open a space. `present`: the space with its earlier limits. */
  private begin(principal: Principal, limits: string, present: Entry | undefined): Entry {
    const entry = { limits, opened: this.open(principal, present), endpoints: new Map() }
    entry.opened.catch(() => {
      if (this.all.get(principal.space) === entry) this.all.delete(principal.space)
    })
    return entry
  }

  private async open(principal: Principal, present: Entry | undefined): Promise<OpenSpace> {
    if (present !== undefined) await end(present)
    else if (this.all.size > this.parts.most) await this.makeRoom()
    await this.closing.get(principal.space)
    return this.parts.open(principal)
  }

  private async makeRoom(): Promise<void> {
    const all = [...this.all]
    for (const [space, entry] of all) {
      // A space without an endpoint is still opening. While `isEmpty` is asked, a request may begin.
      const isUnused = (): boolean => entry.endpoints.size > 0 && !this.parts.isServing(space) && this.all.get(space) === entry
      if (space === localSpace || !isUnused() || !(await (await entry.opened).isEmpty()) || !isUnused()) continue
      this.all.delete(space)
      const closed = end(entry).finally(() => this.closing.delete(space))
      this.closing.set(space, closed)
      return closed
    }
    throw new Error(`${this.parts.most} principals are served already, which is the limit. Ask again later.`)
  }
}

const end = async ({ opened, endpoints }: Entry): Promise<void> => {
  // Requests that wait for the space make their endpoints first.
  const space = await opened.catch(() => undefined)
  for (const endpoint of endpoints.values()) await endpoint.close()
  await space?.close()
}

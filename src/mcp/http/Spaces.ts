/**
 * The open spaces of principals, and for each the faces of its credentials.
 *
 * Guarantees: a space is opened once, at its first request; each credential has a face of its own; a space whose limits have
 * changed is closed, which writes its sessions, and opened again with the new limits. From `most` spaces on, each new one takes the place of an
 * unused one, which has no open session and no request under way: the least recently used. Does not: close unused spaces earlier; their sessions end
 * after their idle time.
 */
import { localSpace, type Principal } from "./Principal.ts"
import type { OpenSpace, Space } from "../Space.ts"
import type { PrincipalFace } from "./PrincipalFace.ts"

interface Entry {
  readonly limits: string
  readonly opened: Promise<OpenSpace>
  readonly faces: Map<string, PrincipalFace>
}

interface Parts {
  readonly local: OpenSpace
  /** The most spaces of principals beside the local one. */
  readonly most: number
  /** Is a request of this principal under way? */
  readonly isServing: (space: string) => boolean
  /** Rejects with an `Error` whose message is a sentence. */
  readonly open: (principal: Principal) => Promise<OpenSpace>
  readonly makeFace: (space: Space, principal: Principal) => PrincipalFace
}

export class Spaces {
  /** The space that was used last is at the end. */
  private readonly all = new Map<string, Entry>()
  /** The spaces that are being closed for others. Each opens again only after that. */
  private readonly closing = new Map<string, Promise<void>>()

  constructor(private readonly parts: Parts) {
    this.all.set(localSpace, { limits: "", opened: Promise.resolve(parts.local), faces: new Map() })
  }

  async face(principal: Principal): Promise<PrincipalFace> {
    const { faces, opened } = this.entry(principal)
    const space = await opened
    const key = `${principal.readOnly ? "r" : "w"} ${principal.credential}`
    const face = faces.get(key) ?? this.parts.makeFace(principal.readOnly ? space.readOnly : space.full, principal)
    faces.set(key, face)
    return face
  }

  /** Closes all faces, which ends open streams. The spaces themselves close with the server. */
  async close(): Promise<void> {
    await Promise.all([...this.all.values()].flatMap(({ faces }) => Array.from(faces.values(), (face) => face.close())))
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
    const entry = { limits, opened: this.open(principal, present), faces: new Map() }
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
      // A space without a face is still opening. While `isEmpty` is asked, a request may begin.
      const isUnused = (): boolean => entry.faces.size > 0 && !this.parts.isServing(space) && this.all.get(space) === entry
      if (space === localSpace || !isUnused() || !(await (await entry.opened).isEmpty()) || !isUnused()) continue
      this.all.delete(space)
      const closed = end(entry).finally(() => this.closing.delete(space))
      this.closing.set(space, closed)
      return closed
    }
    throw new Error(`${this.parts.most} principals are served already, which is the limit. Ask again later.`)
  }
}

const end = async ({ opened, faces }: Entry): Promise<void> => {
  // Requests that wait for the space make their faces first.
  const space = await opened.catch(() => undefined)
  for (const face of faces.values()) await face.close()
  await space?.close()
}

/**
 * The open spaces of principals, and for each the faces of its credentials.
 *
 * Guarantees: a space is opened once, at its first request; each credential has a face of its own; a space whose limits have
 * changed is closed, which writes its sessions, and opened again with the new limits. At most `most` spaces are open. Does not: close an unused
 * space; its sessions end after their idle time.
 */
import { localSpace, type Principal } from "./Principal.ts"
import type { Space } from "../Space.ts"
import type { PrincipalFace } from "./PrincipalFace.ts"

const most = 1000

export interface OpenSpace {
  readonly full: Space
  readonly readOnly: Space
  readonly close: () => Promise<void>
}

interface Entry {
  readonly limits: string
  readonly opened: Promise<OpenSpace>
  readonly faces: Map<string, PrincipalFace>
}

interface Parts {
  readonly local: OpenSpace
  /** Rejects with an `Error` whose message is a sentence. */
  readonly open: (principal: Principal) => Promise<OpenSpace>
  readonly makeFace: (space: Space, principal: Principal) => PrincipalFace
}

export class Spaces {
  private readonly all = new Map<string, Entry>()

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
    if (present?.limits === limits) return present
    if (present === undefined && this.all.size > most)
      throw new Error(`${most} principals are served already, which is the limit. Ask again later.`)
    const opened = present === undefined ? this.parts.open(principal) : end(present).then(() => this.parts.open(principal))
    const entry: Entry = { limits, opened, faces: new Map() }
    this.all.set(space, entry)
    opened.catch(() => {
      if (this.all.get(space) === entry) this.all.delete(space)
    })
    return entry
  }
}

const end = async ({ opened, faces }: Entry): Promise<void> => {
  // Requests that wait for the space make their faces first.
  const space = await opened.catch(() => undefined)
  for (const face of faces.values()) await face.close()
  await space?.close()
}

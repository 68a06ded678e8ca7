/** Facts about the machine. The program that composes the layers reads them once. */
import * as Context from "effect/Context"

export class Machine extends Context.Service<
  Machine,
  {
    /** Node's own program, which runs the embedded interpreter. */
    readonly nodeProgram: string
    /** The bundled `k3` program, a file of JavaScript. */
    readonly embeddedProgram: string
    readonly environment: Readonly<Record<string, string | undefined>>
    readonly temporaryFolder: string
    readonly windows: boolean
    readonly processors: number
    readonly hostName: string
    /** The user's number, or the name on systems without numbers. Separates the files of users. */
    readonly user: string
    readonly serverPid: number
    /** Whether a process with that id exists. True when the system does not tell. */
    readonly isAlive: (pid: number) => boolean
  }
>()("k3-mcp/child/Machine") {}

/** The folder of the bundled programs, without a separator at its end. */
export const programFolder = ({ embeddedProgram }: Pick<Machine["Service"], "embeddedProgram">): string =>
  embeddedProgram.replace(/[/\\][^/\\]*$/, "")

type User = Pick<Machine["Service"], "windows" | "user">

/** The owner and the access rights of a folder. On Windows Node tells neither, and every folder passes. */
interface Access {
  /** The owner's number; undefined where the system has none. */
  readonly uid: number | undefined
  readonly mode: number
}

const isForeign = ({ windows, user }: User, { uid }: Access): boolean =>
  !windows && uid !== undefined && /^\d+$/.test(user) && String(uid) !== user

/** Does the folder belong to another user, or give other users any of `rights`, bits of its mode? */
export const isShared = (user: User, access: Access, rights: number): boolean =>
  isForeign(user, access) || (!user.windows && (access.mode & rights) !== 0)

/** Why other users could put files into the folder; undefined if they cannot. */
export const flawOf = (user: User, access: Access): string | undefined => {
  if (!isShared(user, access, 0o022)) return undefined
  return isForeign(user, access) ? "belongs to another user" : "may be written by other users"
}

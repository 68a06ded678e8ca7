/** What a session must know of the machine it runs on, read once by the program that composes the layers. */
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
    /** A user's number where there is one, else a name: sets one user's files apart from another's. */
    readonly user: string
    readonly serverPid: number
    /** Is there a process of that id? True when it cannot be told. */
    readonly isAlive: (pid: number) => boolean
  }
>()("k3-mcp/session/Machine") {}

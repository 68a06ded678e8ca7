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

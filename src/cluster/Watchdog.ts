/** The port to the process that kills this machine's interpreters when their lease runs out. `platform/watchdog.ts` implements the port. */
import * as Context from "effect/Context"

export class Watchdog extends Context.Service<
  Watchdog,
  {
    readonly renew: () => void
    readonly watch: (pid: number) => void
    readonly forget: (pid: number) => void
  }
>()("k3-mcp/cluster/Watchdog") {}

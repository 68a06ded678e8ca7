/** The cluster of this process: it gives the program stores and sessions in place of a state folder and sessions in this process. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { PrincipalSpace } from "../mcp/http/Principal.ts"
import type { CrashRecords } from "../session/history/CrashRecord.ts"
import type { Definitions } from "../session/Definitions.ts"
import type { Plots } from "../session/plots/Plots.ts"
import type { RootFiles } from "../session/RootFiles.ts"
import type { Sessions } from "../session/Sessions.ts"
import type { Settings } from "../Settings.ts"
import type { Store } from "../store/Store.ts"

export class Cluster extends Context.Service<
  Cluster,
  {
    /** The name of this process on all machines. */
    readonly machine: string
    /** The number of healthy runners; undefined when the database does not answer. */
    readonly runners: Effect.Effect<number | undefined>
    /** The store of a principal. It writes documents only: runners write the sessions. */
    readonly store: (principal: PrincipalSpace) => Layer.Layer<Store>
    /** The sessions of a principal, on any runner. */
    readonly sessions: (
      principal: PrincipalSpace,
    ) => Layer.Layer<Sessions, never, Settings | Store | Definitions | CrashRecords | RootFiles | Plots>
  }
>()("k3-mcp/cluster/Cluster") {}

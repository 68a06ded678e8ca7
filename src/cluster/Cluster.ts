/** The cluster that this process is a member of: what the program takes from it in place of a state folder and sessions of its own. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { Principal } from "../mcp/http/Principal.ts"
import type { CrashRecords } from "../session/history/CrashRecord.ts"
import type { Definitions } from "../session/Definitions.ts"
import type { Plots } from "../session/plots/Plots.ts"
import type { RootFiles } from "../session/RootFiles.ts"
import type { Sessions } from "../session/Sessions.ts"
import type { Settings } from "../Settings.ts"
import type { Store } from "../store/Store.ts"

export type Whose = Pick<Principal, "space" | "limits">

export class Cluster extends Context.Service<
  Cluster,
  {
    /** This process, as the others name it. */
    readonly machine: string
    /** How many machines of the cluster hold sessions now; undefined when the database does not answer. */
    readonly runners: Effect.Effect<number | undefined>
    /** What is kept of a principal; a front end writes its documents alone. */
    readonly store: (whose: Whose) => Layer.Layer<Store>
    /** The sessions of a principal, wherever they are. */
    readonly sessions: (whose: Whose) => Layer.Layer<Sessions, never, Settings | Store | Definitions | CrashRecords | RootFiles | Plots>
  }
>()("k3-mcp/cluster/Cluster") {}

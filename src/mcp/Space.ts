/** A principal's space, as the face serves it. Pure types. */
import type { Sessions } from "../session/Sessions.ts"
import type { Settings } from "../Settings.ts"
import type { Telemetry } from "../Telemetry.ts"
import type { Audience } from "./Audience.ts"
import type { Bridge } from "./bridge.ts"
import type { Registry } from "./Registry.ts"

/** Its sessions and settings (behind `bridge`), its tools, and the clients that are told of changes. */
export interface Space {
  readonly bridge: Bridge<Sessions | Settings>
  readonly registry: Registry
  readonly audience: Audience
  readonly telemetry: Telemetry | undefined
}

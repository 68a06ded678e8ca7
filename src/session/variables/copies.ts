/** The variables of a child beside the session, which began with those of a workspace. */
import * as Effect from "effect/Effect"
import { type Contents, update } from "../../child/Contents.ts"
import { patient, type Tracker } from "../../child/engines/Tracker.ts"
import type { Restoration, Workspace } from "./Workspace.ts"

/** The contents of a child after a restore. A read does not report restored variables, so they are taken from the restore. */
export const contentsAfter = (restoration: Restoration | undefined, workspace: Workspace | undefined): Contents => ({
  variables: new Map(restoration?.restored.map((each) => [each.path, each])),
  settings: workspace?.held.settings,
})

/** The contents of the child now, and the differences from the contents seen before. Undefined when they could not be read. */
export const readAfter = (tracker: Tracker, seen: Contents) =>
  Effect.map(tracker.read(patient), (found) => found && update(seen, found, Number.POSITIVE_INFINITY))

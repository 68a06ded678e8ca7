/**
 * A mark inside a child: how all of its variables are, gone back to without being given anything.
 *
 * An engine that has none is given its variables anew instead. A child that ends by either is followed up by its own watcher.
 */
import * as Effect from "effect/Effect"
import type { Keeper, Target } from "./Keeper.ts"

export const canMark = (keeper: Keeper, target: Target): boolean => keeper.trackerOf(target).marks !== null

export const mark = (keeper: Keeper, target: Target): Effect.Effect<void> =>
  Effect.ignore(keeper.trackerOf(target).marks?.mark ?? Effect.void)

export const back = (keeper: Keeper, target: Target): Effect.Effect<void> =>
  Effect.ignore(keeper.trackerOf(target).marks?.back ?? Effect.void)

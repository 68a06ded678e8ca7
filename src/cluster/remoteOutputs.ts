/**
 * Long outputs of the sessions of a cluster, for a front end: read from the machine that recorded the output, which the number in the handle
 * names; from the archive when that machine does not give it.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { rangeSize } from "../session/Handles.ts"
import { findLines, readPage, type OutputBytes } from "../session/output/pages.ts"
import { NoOutput, type SessionError } from "../session/SessionError.ts"
import type { Sessions } from "../session/Sessions.ts"
import { sourceOf, StoredOutputs } from "./StoredOutputs.ts"
import type { Asking } from "./asking.ts"
import { SessionOwners } from "./SessionOwners.ts"

/** Did the machine give this handle? */
export const gave = (machine: string, handle: string): boolean =>
  machine.endsWith(`#${Math.floor((Number(handle.slice(1)) - 1) / rangeSize)}`)

export const remoteOutputs = Effect.fnUntraced(function* (space: string, { read }: Asking) {
  const storedOutputs = yield* StoredOutputs
  const owners = yield* SessionOwners

  const found = Effect.fnUntraced(function* <A>(
    handle: string,
    ask: (name: string) => Effect.Effect<A, SessionError>,
    here: (source: OutputBytes) => Effect.Effect<A>,
  ): Effect.fn.Return<A, SessionError> {
    const on = (yield* owners.of(space)).find(({ machine }) => gave(machine, handle))
    const asked = on === undefined ? Option.none<A>() : yield* Effect.option(ask(on.session))
    if (Option.isSome(asked)) return asked.value
    const archived = yield* storedOutputs.find(space, handle)
    return yield* archived === undefined ? new NoOutput({ handle, dropped: false, kept: [] }) : here(sourceOf(archived))
  })

  return {
    page: (handle, request) =>
      found(
        handle,
        (name) => read("OutputPage", name, { handle, request }),
        (source) => readPage(source, request),
      ),
    find: (handle, request) =>
      found(
        handle,
        (name) => read("OutputFind", name, { handle, request }),
        (source) => findLines(source, request),
      ),
  } satisfies Sessions["Service"]["outputs"]
})

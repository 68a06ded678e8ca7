/** Requests for a session as a whole: its machine and epoch, its status, its creation, reset, write and closing. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { FenceState } from "../../child/Fence.ts"
import type { MadeSession } from "../../session/ManagedSession.ts"
import type { SessionStatus } from "../../session/SessionStatus.ts"
import { change, inSession, read } from "./request.ts"
import { Engine, flag, kind, list, losses, maybe, nullOr, number, oneOf, orNone, pair, struct, text } from "./shapes.ts"

const FenceOf: Schema.Codec<FenceState> = Schema.Union([
  struct({ _tag: kind("Fenced"), by: oneOf(["bubblewrap", "sandbox-exec"]) }),
  struct({ _tag: kind("Off") }),
  struct({ _tag: kind("None"), why: text }),
])

const StatusOf: Schema.Codec<SessionStatus> = struct({
  name: text,
  phase: oneOf(["down", "launching", "ready", "evaluating", "interrupting", "killing", "failed", "closed"]),
  isEphemeral: flag,
  engine: Engine,
  engineWhy: text,
  pid: nullOr(number),
  generation: number,
  fence: FenceOf,
  shadow: nullOr(text),
  buildFolder: nullOr(text),
  buildFolderWhy: nullOr(text),
  runningHash: nullOr(text),
  buildHash: nullOr(text),
  stale: nullOr(flag),
  refused: maybe(oneOf(["launch", "check"])),
  engineVersion: nullOr(text),
  uptimeMs: nullOr(number),
  evaluations: number,
  doing: nullOr(text),
  running: nullOr(struct({ statement: text, nth: maybe(pair), forMs: number, waiting: number })),
  lastCrash: nullOr(text),
  ageMs: number,
  idleMs: number,
  memoryBytes: nullOr(number),
  spare: nullOr(struct({ pid: number, memoryBytes: nullOr(number) })),
  held: struct({ variables: number, missed: number, lost: losses }),
  onDisk: nullOr(struct({ ageMs: number, behind: number })),
  trouble: maybe(list(text)),
  owner: maybe(struct({ machine: text, epoch: number })),
})

export const MadeOf: Schema.Codec<MadeSession> = struct({
  name: text,
  isEphemeral: flag,
  engine: Engine,
  generation: number,
  variables: Schema.UndefinedOr(struct({ restored: number, lost: losses, missed: number })),
})

export const sessions = {
  /** The machine and the epoch of a session. `use`: makes the session when there is none. */
  Open: read(
    { use: flag },
    struct({ epoch: number, machine: text, isOpen: flag, isEphemeral: flag }),
    ({ here, name, get, owner }, { use }) =>
      Effect.map(use ? get : here.find(name), (session) => ({
        ...owner,
        isOpen: session !== undefined,
        isEphemeral: session?.isEphemeral === true,
      })),
  ),
  Status: read({}, struct({ status: StatusOf, isOpen: flag }), ({ here, name, owner }) =>
    Effect.gen(function* () {
      const isOpen = (yield* here.find(name)) !== undefined
      return { isOpen, status: { ...(yield* here.status(name)), owner } }
    }),
  ),
  Create: change(
    { engine: orNone(Engine), isEphemeral: orNone(flag), isBrief: orNone(flag) },
    MadeOf,
    () => "the creation of the session",
    ({ here, name, mark }, given) => Effect.tap(here.create({ name, ...given }), (made) => mark(made.isEphemeral)),
  ),
  Reset: change(
    {},
    struct({ how: oneOf(["cleared", "relaunched"]), generation: number }),
    () => "the reset",
    ({ here, name }) => here.reset(name),
  ),
  Persist: change(
    {},
    flag,
    () => "the write",
    inSession((session) => session.persist),
  ),
  Close: change(
    {},
    StatusOf,
    () => "the closing of the session",
    ({ here, name, mark }) => Effect.ensuring(here.close(name), mark(false)),
  ),
}

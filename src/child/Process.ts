/**
 * The port through which sessions start and end processes.
 *
 * Effect's `ChildProcessSpawner` is not used: an evaluation answered through its streams takes 0.198 ms against 0.154 ms through a plain `data`
 * callback, its standard output passes through one more `PassThrough`, and after SIGTERM it waits for ever unless told to force. Here output
 * goes to one callback, and a kill is SIGKILL to the whole group.
 *
 * Guarantees: closing the scope a process was spawned in kills its group and returns when the process is gone; the process ends when
 * the server does, by SIGKILL too (see `endsWithStdin`). Does not: interpret bytes, wait on writes, or follow descendants that left
 * the group.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { FenceTools } from "./fence/FencePlan.ts"

export interface ProcessSpec {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  /** The program ends by itself when its standard input ends, even during work. Otherwise a watcher outside the server ends it. */
  readonly endsWithStdin: boolean
  /** The program starts other programs, which the watcher has to end, too. */
  readonly forks?: boolean
  /** Files and folders that the program reads, beside the system's own. Behind a fence no others exist. */
  readonly reads?: readonly string[]
  /** The fence around the program: a program that starts the command, and the arguments before the command. */
  readonly fence?: Pick<FenceTools, "by" | "program" | "filter"> & { readonly args: readonly string[] }
}

/** How a process ended: one of the two is null, or both when the system does not say. */
export interface ProcessExit {
  readonly code: number | null
  readonly signal: string | null
}

export interface RunningProcess {
  /** Process id of the program; of the fence's program until the fence has started it. */
  readonly pid: number
  /** Sends bytes; a text is sent as UTF-8. Never fails: bytes for an ended process are lost. */
  readonly write: (text: string | Uint8Array) => void
  /** Gives standard output in chunks to one listener. It must be registered at once, since unread output blocks the process. */
  readonly onStdout: (listener: (chunk: Uint8Array) => void) => void
  /**
   * The first 1 KiB of standard error, where a stack trace names its error, and the last 7 KiB; `cutMark` is a line between them if text was left
   * out.
   */
  readonly stderr: () => string
  /** Gives standard error in chunks to one more listener. */
  readonly onStderr: (listener: (chunk: Uint8Array) => void) => void
  /** Calls back once, when the process has ended and its output has been read. */
  readonly onExit: (listener: (exit: ProcessExit) => void) => void
  /** From now on the process and its descendants run with a lower priority than the server, where the system allows it. */
  readonly lowerPriority: () => void
  /** SIGKILL to the whole group, at once; does not wait. Nothing happens when the process has ended. */
  readonly kill: () => void
}

/** A line of `stderr` in place of the omitted lines. */
export const cutMark = "…"

/** `code`: the system's error, such as `ENOENT`. */
export class SpawnFailed extends Schema.TaggedError<SpawnFailed>()("SpawnFailed", {
  reason: Schema.String,
  code: Schema.optional(Schema.String),
}) {}

export class Process extends Context.Service<
  Process,
  {
    readonly spawn: (spec: ProcessSpec) => Effect.Effect<RunningProcess, SpawnFailed, Scope.Scope>
  }
>()("k3-mcp/child/Process") {}

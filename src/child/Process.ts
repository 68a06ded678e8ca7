/**
 * The port through which sessions start and end processes.
 *
 * Why not Effect's `ChildProcessSpawner`: an evaluation answered through its streams takes 0.198 ms against 0.154 ms through a plain
 * `data` callback, its standard output passes through one more `PassThrough`, and after SIGTERM it waits for ever unless told to force. Here output is pushed into one callback and a kill is SIGKILL to the whole group.
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
  /** The program ends by itself, even at work, when its standard input does. When not, a watcher outside the server ends it. */
  readonly endsWithStdin: boolean
  /** It starts programs of its own, which the watcher has to end as well. */
  readonly forks?: boolean
  /** It gets the processor that the server leaves. */
  readonly yields?: boolean
  /** Files and folders that it reads, beside the system's own; the rest is not there behind a fence. */
  readonly reads?: readonly string[]
  /** The system's confinement around it: a program that starts the command, and its arguments before it. */
  readonly fence?: Pick<FenceTools, "by" | "program" | "filter"> & { readonly args: readonly string[] }
}

/** How a process ended: one of the two is null, or both when the system does not say. */
export interface ProcessExit {
  readonly code: number | null
  readonly signal: string | null
}

export interface RunningProcess {
  /** Of the program itself; until a fence has started it, of the fence. */
  readonly pid: number
  /** Sends bytes, text in UTF-8. Never fails: what is written to a process that has ended is lost. */
  readonly write: (text: string | Uint8Array) => void
  /** Gives standard output, chunk by chunk, to one listener, which must not be late: what nobody reads blocks the process. */
  readonly onStdout: (listener: (chunk: Uint8Array) => void) => void
  /** Standard error, which is always read: the first 1 KiB, where a trace says what it is, and the last 7. */
  readonly stderr: () => string
  /** Gives standard error, chunk by chunk, to one more listener. */
  readonly onStderr: (listener: (chunk: Uint8Array) => void) => void
  /** Calls back once, when the process has ended and its output has been read. */
  readonly onExit: (listener: (exit: ProcessExit) => void) => void
  /** SIGKILL to the whole group, at once; does not wait. Nothing happens when the process has ended. */
  readonly kill: () => void
}

export class SpawnFailed extends Schema.TaggedError<SpawnFailed>()("SpawnFailed", { reason: Schema.String }) {}

export class Process extends Context.Service<
  Process,
  {
    readonly spawn: (spec: ProcessSpec) => Effect.Effect<RunningProcess, SpawnFailed, Scope.Scope>
  }
>()("k3-mcp/session/Process") {}

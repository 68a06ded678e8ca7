/**
 * One running interpreter as a scoped resource: launch, ready, ask, release.
 *
 * Guarantees: a launched child is ready and has answered one warming evaluation. `ask` gives the exact bytes before its own sentinel; the reply
 * of an abandoned `ask` is read and dropped before the next one. Output without an `ask` ends the child as out of step. An exception while its output
 * is read ends the child, not the server. Output is always read, so the child never blocks on a full pipe. Closing the scope kills its process group.
 * Does not: know deadlines other than the launch's, restart anything, or understand a reply.
 *
 * An `ask` costs one callback. Two at once are the caller's mistake; the session's queue prevents them.
 */
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { shortened } from "../shortened.ts"
import type * as Scope from "effect/Scope"
import { INTERRUPT, type ChildReply, ReplySplitter, type Spill } from "../repl/frame.ts"
import { Process, type ProcessExit, type ProcessSpec, type RunningProcess } from "./Process.ts"
import { LaunchFailed } from "./ChildError.ts"
import { shortStack } from "./standardError.ts"

/** The child has ended: by itself, or killed because it printed without a request, or because the server failed to read its output. */
export class ChildEnded extends Data.TaggedError("ChildEnded")<{
  readonly reason: "exit" | "out-of-step" | "unread"
  readonly exit: ProcessExit
  /** With `unread`, the exception follows. */
  readonly stderr: string
  /** The printed text since the last reply. */
  readonly partial: ChildReply
}> {}

/** The end of a child in one line. It quotes the first line of standard error, which names the failure. */
export const describeEnd = ({ reason, exit, stderr }: ChildEnded): string => {
  const how = {
    exit: `the interpreter ended with ${exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`}`,
    "out-of-step": "it printed what nobody asked for (its stream was out of step)",
    unread: "the server failed to read its output",
  }[reason]
  const [said = ""] = stderr.trim().split("\n", 1)
  return said === "" ? how : `${how}: ${shortened(said, 300).replace(/\.$/, "")}`
}

/** The beginning and the end of a child's standard error. */
export const endsOf = (stderr: string): string => {
  const text = shortStack(stderr)
  return text.length <= 600 ? text : `${text.slice(0, 300)} … ${text.slice(-300)}`
}

export interface LaunchPlan {
  readonly engine: string
  readonly process: ProcessSpec
  /** The child has a lower priority than the server once it is ready. Starting beside a busy machine would take too long with it. */
  readonly yields: boolean
  /** In replies of this engine, byte 15 begins an error report. */
  readonly reports: boolean
  /** A line that is evaluated once after the launch; null for an engine that needs no warming. */
  readonly warm: string | null
  readonly timeoutMs: number
  /** Bytes of one reply that are kept in memory. */
  readonly keep: number
}

export interface Child {
  readonly pid: number
  /** Sends a line and waits for its reply. `spill` receives a long reply while it arrives, unless an abandoned reply arrives first. */
  readonly ask: (line: string, spill?: Spill) => Effect.Effect<ChildReply, ChildEnded>
  /** Waits for the reply to an abandoned `ask`. */
  readonly pendingReply: Effect.Effect<ChildReply, ChildEnded>
  /** Whether a reply is still to come. */
  readonly busy: () => boolean
  /** Asks the engine to stop its evaluation. Only for engines with interrupts. */
  readonly interrupt: () => void
  /** Kills the process group, without waiting for its end. Closing the scope waits. */
  readonly kill: () => void
  /** Takes the printed text since the last reply. */
  readonly partial: () => ChildReply
  /** The beginning and the end of standard error so far. */
  readonly stderr: () => string
  /** Completes when the child has ended, by itself or for its output. */
  readonly ended: Effect.Effect<ChildEnded>
}

export const noReply: ChildReply = { bytes: 0, head: new Uint8Array(0), omitted: 0, tail: new Uint8Array(0) }

/** The output since the last reply; nothing when reading it throws. */
const pendingIn = (splitter: ReplySplitter): ChildReply => {
  try {
    return splitter.take()
  } catch {
    return noReply
  }
}

const connect = (process: RunningProcess, plan: LaunchPlan): Child => {
  const splitter = new ReplySplitter({ head: Math.ceil(plan.keep / 2), tail: Math.floor(plan.keep / 2), reports: plan.reports })
  /** Replies to come: one at the start, when the child is ready, then one for each line. */
  let repliesDue = 1
  let arrived: ChildReply | undefined
  let waiting: ((answer: Effect.Effect<ChildReply, ChildEnded>) => void) | undefined
  let end: ChildEnded | undefined
  const ended = Deferred.makeUnsafe<ChildEnded>()

  const settle = () => {
    const resume = waiting
    if (resume === undefined) return
    const answer = repliesDue === 0 ? arrived : undefined
    if (answer === undefined && end === undefined) return
    // `resume` may send the next line at once, so the state is cleared before.
    waiting = arrived = undefined
    resume(answer === undefined ? Effect.fail(end!) : Effect.succeed(answer))
  }

  const send = (line: string, spill: Spill | undefined): void => {
    arrived = undefined
    if (repliesDue === 0) splitter.spillTo(spill)
    repliesDue++
    process.write(line)
  }

  const finish = (reason: ChildEnded["reason"], exit: ProcessExit, stderr = process.stderr()): void => {
    if (end !== undefined) return
    end = new ChildEnded({ reason, exit, stderr, partial: pendingIn(splitter) })
    settle()
    Deferred.doneUnsafe(ended, Effect.succeed(end))
  }

  /** Finishes before the kill takes effect: otherwise the exit would be blamed on a statement sent meanwhile. */
  const endFor = (reason: ChildEnded["reason"], stderr?: string): void => {
    finish(reason, { code: null, signal: "SIGKILL" }, stderr)
    process.kill()
  }

  /** The replies in a chunk. An exception ends the child: thrown from this callback, it would end the server. */
  const repliesIn = (chunk: Uint8Array): readonly ChildReply[] => {
    try {
      return splitter.feed(chunk)
    } catch (error) {
      endFor("unread", `${process.stderr()}\n${String(error)}`.trim())
      return []
    }
  }

  process.onStdout((chunk) => {
    if (end !== undefined) return
    const replies = repliesIn(chunk)
    if (replies.length > repliesDue || (replies.length === repliesDue && splitter.pending > 0)) return endFor("out-of-step")
    if (replies.length === 0) return
    repliesDue -= replies.length
    arrived = replies.at(-1)
    settle()
  })

  process.onExit((exit) => finish("exit", exit))

  const pendingReply = Effect.callback<ChildReply, ChildEnded>((resume) => {
    waiting = resume
    settle()
    return Effect.sync(() => {
      if (waiting === resume) waiting = undefined
    })
  })

  return {
    get pid() {
      return process.pid
    },
    ask: (line, spill) =>
      Effect.suspend(() => {
        send(line, spill)
        return pendingReply
      }),
    pendingReply,
    busy: () => repliesDue > 0,
    interrupt: () => process.write(INTERRUPT),
    kill: process.kill,
    partial: () => pendingIn(splitter),
    stderr: process.stderr,
    ended: Deferred.await(ended),
  }
}

/** `exit`: how the process ended, if it has. */
export const launchFailed = (
  { engine, process, timeoutMs }: Pick<LaunchPlan, "engine" | "timeoutMs"> & { readonly process: Pick<ProcessSpec, "command" | "args"> },
  reason: LaunchFailed["reason"],
  stderr: string,
  { exit, answer }: { readonly exit?: ProcessExit; readonly answer?: string } = {},
): LaunchFailed =>
  new LaunchFailed({
    engine,
    command: [process.command, ...process.args].join(" "),
    reason,
    exitCode: exit?.code ?? null,
    signal: exit?.signal ?? null,
    stderr,
    timeoutMs,
    ...(answer !== undefined && { answer }),
  })

/** Launches a child in the caller's scope, and waits until it is ready. */
export const launch = Effect.fnUntraced(function* (plan: LaunchPlan): Effect.fn.Return<Child, LaunchFailed, Process | Scope.Scope> {
  const { spawn } = yield* Process
  const process = yield* Effect.mapError(spawn(plan.process), ({ reason }) => launchFailed(plan, "spawn", reason))
  const child = connect(process, plan)
  yield* child.pendingReply.pipe(
    Effect.andThen(plan.warm === null ? Effect.void : child.ask(plan.warm)),
    Effect.mapError(({ exit, stderr }) => launchFailed(plan, "exit", stderr, { exit })),
    Effect.timeoutOrElse({ duration: plan.timeoutMs, orElse: () => Effect.fail(launchFailed(plan, "timeout", process.stderr())) }),
  )
  if (plan.yields) process.lowerPriority()
  return child
})

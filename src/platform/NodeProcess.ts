/**
 * `child/Process` on `node:child_process`; that file says why not on Effect's spawner.
 *
 * Guarantees: each process leads a group of its own (`detached`), so that a signal reaches its descendants, and a terminal's Ctrl-C does not reach
 * it. The group is signalled only while its leader is not reaped, so a reused pid is never hit. A program that does not end with its
 * standard input is ended if the server is killed: on Linux by the kernel (`setpriv --pdeathsig KILL`, which replaces itself by the program, so that
 * the pid stays the same); on other systems, and for a program that forks, by a shell that waits on a pipe only the server holds.
 *
 * When the memory of the machine runs out, Linux ends such a process, or one that it started, before the server, from its first output on.
 *
 * Windows has no groups: `taskkill /T` ends the process tree, and nothing watches for the server's death.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { endOf } from "../child/fence/bubblewrap.ts"
import { closeInherited } from "./descriptors.ts"
import { giveFilter, stdioOf } from "./filterPipe.ts"
import { isAlive, pidInside } from "./processes.ts"
import { guardOf, startOf, treeKillOf } from "./systems.ts"
import { withFallback } from "../repl/withFallback.ts"
import { endFirst, letOthersFirst } from "./yielding.ts"
import { cutMark, Process, type ProcessExit, type ProcessSpec, type RunningProcess, SpawnFailed } from "../child/Process.ts"

const system = process.platform
const stderrHead = 1024
const stderrTail = 7168

/** Text without its last line, if that is not ended. A single line is kept. */
const endedLines = (text: string): string => text.slice(0, text.lastIndexOf("\n") + 1) || text

let pdeathsig: boolean | undefined
/** Tested once, at the first use: the test starts a process. */
const canPdeathsig = (): boolean => (pdeathsig ??= spawnSync("setpriv", ["--pdeathsig", "KILL", "true"], { stdio: "ignore" }).status === 0)

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

/** False when the group does not exist. */
const signalGroup = (pid: number): boolean => {
  if (system === "win32") return false
  return withFallback(() => process.kill(-pid, "SIGKILL"), false)
}

/** Calls `then` when the process has ended, at the latest after 5 s. The fence's process ends a moment before the program inside. */
const whenGone = (pid: number | undefined, then: () => void, looks = 1000): void => {
  if (pid === undefined || looks === 0 || !isAlive(pid)) then()
  else setTimeout(() => whenGone(pid, then, looks - 1), 5)
}

const killGroup = (child: ChildProcess): void => {
  if (child.pid === undefined || hasEnded(child)) return
  const tree = treeKillOf(system, child.pid)
  if (tree !== undefined) {
    spawn(tree.command, tree.args, { stdio: "ignore", windowsHide: true }).on("error", () => child.kill())
    return
  }
  if (!signalGroup(child.pid)) child.kill("SIGKILL")
}

/** Starts a guard for the process's group. The caller ends the guard when the process ends. */
const guard = (pid: number): ChildProcess => {
  const { command, args } = guardOf(pid)
  return spawn(command, args, { detached: true, env: {}, stdio: ["pipe", "ignore", "ignore"] }).on("error", () => {})
}

const start = (spec: ProcessSpec): ChildProcess => {
  const { command, args, options, endedBy } = startOf(system, spec, canPdeathsig)
  if (spec.fence?.by === "bubblewrap") closeInherited()
  const child = spawn(command, args, { ...options, cwd: spec.cwd, env: spec.env, stdio: stdioOf(spec.fence?.filter) })
  giveFilter(child, spec.fence?.filter)
  if (endedBy === "guard" && child.pid !== undefined) {
    const watcher = guard(child.pid)
    child.once("exit", () => watcher.kill("SIGKILL"))
  }
  return child
}

const running = (child: ChildProcess, pid: number, fenced: boolean): RunningProcess & { readonly gone: Effect.Effect<void> } => {
  let head = Buffer.alloc(0)
  let tail = Buffer.alloc(0)
  let ended: ProcessExit | undefined
  let isCut = false
  const stderr = (): string => {
    const [first, last] = [head.toString("utf8"), tail.toString("utf8")]
    return isCut ? `${endedLines(first)}${cutMark}\n${last}` : first + last
  }
  const listeners: ((exit: ProcessExit) => void)[] = []
  child.stderr!.on("data", (chunk: Buffer) => {
    const room = stderrHead - head.length
    if (room > 0) head = Buffer.concat([head, chunk.subarray(0, room)])
    if (chunk.length > room) tail = Buffer.concat([tail, chunk.subarray(Math.max(0, room))])
    if (tail.length <= stderrTail) return
    isCut = true
    tail = tail.subarray(-stderrTail)
    const line = tail.indexOf("\n") + 1
    if (line < tail.length) tail = tail.subarray(line)
  })
  child.stdin!.on("error", () => {})
  child.stdout!.on("error", () => {})
  child.stderr!.on("error", () => {})
  const end = (code: number | null, signal: string | null) => {
    if (ended !== undefined) return
    ended = fenced ? endOf({ code, signal }, stderr()) : { code, signal }
    for (const listener of listeners) listener(ended)
  }
  child.once("close", end)
  // Kills the rest of its group. The process is being reaped at this moment, so its pid cannot be reused yet.
  child.once("exit", () => signalGroup(pid))
  // A descendant that left the group may hold the pipes open for ever: output not read 250 ms after the end is given up.
  child.once("exit", (code, signal) => {
    const giveUp = setTimeout(() => {
      child.stdout!.destroy()
      child.stderr!.destroy()
      end(code, signal)
    }, 250)
    child.once("close", () => clearTimeout(giveUp))
  })
  const onExit = (listener: (exit: ProcessExit) => void): void => {
    if (ended === undefined) listeners.push(listener)
    else listener(ended)
  }
  const programPid = fenced ? pidInside(pid) : undefined
  const ownPid = (): number => programPid?.() ?? pid
  return {
    get pid() {
      return ownPid()
    },
    write: (text) => void child.stdin!.write(text),
    onStdout: (listener) => {
      // The first output shows that the program runs, so its own pid is known. A listener of its own, added earlier, would take that output.
      child.stdout!.once("data", () => endFirst(ownPid())).on("data", listener)
    },
    onStderr: (listener) => void child.stderr!.on("data", listener),
    stderr,
    onExit,
    lowerPriority: () => letOthersFirst(pid),
    kill: () => killGroup(child),
    gone: Effect.callback((resume) => {
      if (fenced) onExit(() => whenGone(programPid?.(), () => resume(Effect.void)))
      else if (hasEnded(child)) resume(Effect.void)
      else child.once("exit", () => resume(Effect.void))
    }),
  }
}

const acquire = (spec: ProcessSpec) =>
  Effect.callback<ReturnType<typeof running>, SpawnFailed>((resume) => {
    const refuse = (error: unknown) =>
      resume(Effect.fail(new SpawnFailed({ reason: String(error), code: (error as NodeJS.ErrnoException).code })))
    try {
      const child = start(spec)
      child.once("error", refuse)
      if (child.pid !== undefined) {
        child.on("error", () => {})
        resume(Effect.succeed(running(child, child.pid, spec.fence?.by === "bubblewrap")))
      }
    } catch (error) {
      refuse(error)
    }
  })

export const launch: Process["Service"]["spawn"] = (spec) =>
  Effect.acquireRelease(acquire(spec), (each) =>
    Effect.suspend(() => {
      each.kill()
      return each.gone
    }),
  )

export const layer: Layer.Layer<Process> = Layer.succeed(Process, { spawn: launch })

/** The reply of `k_status`, and the messages of progress. */
import type { FenceState } from "../../child/Fence.ts"
import type { BackgroundEvaluation } from "../../session/Backgrounds.ts"
import type { SessionStatus } from "../../session/SessionStatus.ts"
import type { Disk } from "../../session/storedSessions.ts"
import type { SettingValues } from "../../Settings.ts"
import type { Reply } from "./Reply.ts"
import type { ConnectionFacts } from "../ConnectionFacts.ts"
import { line as backgroundLine } from "./background.ts"
import { mostStored } from "./session.ts"
import { lostLine } from "./variables.ts"
import { duration, indent, mebibytes, paragraphs, plural, roundMs, some } from "./words.ts"

const running = (now: NonNullable<SessionStatus["running"]>): string =>
  `running${now.nth === undefined || now.nth[1] === 1 ? "" : ` statement ${now.nth.join(" of ")}`} for ${duration(now.forMs)}: ${now.statement}${now.waiting > 0 ? `; ${plural(now.waiting, "call")} waiting` : ""}`

/** A progress message of a call that began `elapsedMs` ago. `announced`: the line that the call itself announced last. */
export const progress = ({ name, phase, doing, running: now }: SessionStatus, elapsedMs: number, announced?: string): string =>
  `session ${name}: ${announced ?? (now === null ? (doing ?? phase) : running(now))} (this call: ${duration(elapsedMs)})`

/** The line of a call that waits for an evaluation, which a client can interrupt. */
export const interruptible = (what: string): string => `${what}; k_session with action interrupt stops that`

/** The most background evaluations in a reply; the latest are shown. */
const mostBackground = 20

/** The fields that are not null. */
const present = <A extends object>(fields: A): { [K in keyof A]?: Exclude<A[K], null> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as { [K in keyof A]?: Exclude<A[K], null> }

const unfenced =
  "Without a fence K3CSharp's file verbs, IPC and `2:` reach all that the server's user can, and so do shell commands in text it makes; other shell commands are refused unless K3_SHELL is allow."

/** The fence of the session's child, in words. */
export const fenceLine = (state: FenceState): string => {
  if (state._tag === "Fenced") return state.by
  return state._tag === "Off" ? "off (K3_FENCE)" : `none: ${state.why}`
}

const onDisk = ({ ageMs, behind }: NonNullable<SessionStatus["onDisk"]>): string =>
  `On disk: as of ${duration(ageMs)} ago${behind === 0 ? "" : `, ${plural(behind, "evaluation")} since`}`

const stored = (sessions: Disk["stored"]): string =>
  some(
    sessions.map(({ name, engine, variables, ageMs }) => `${name} (${engine}, ${plural(variables, "variable")}, ${duration(ageMs)} ago)`),
  )

/** One of the other sessions. */
const otherSession = ({ name, phase, idleMs, isUnreached, doing }: SessionStatus): string =>
  `${name} (${isUnreached ? doing : `${phase}, idle ${duration(idleMs)}`})`

/** The facts that a status reports. */
interface Facts {
  readonly of: SessionStatus
  /** All open sessions, with or without this one. */
  readonly open: readonly SessionStatus[]
  readonly settings: SettingValues
  readonly disk: Disk
  readonly connection: ConnectionFacts
  /** The name that the history gives the client, as in `Caller`. */
  readonly caller: string
  readonly background: readonly BackgroundEvaluation[]
}

type ShownFacts = Facts & { readonly notice: string }

const statusText = ({ of, open, settings, disk, connection, background, notice }: ShownFacts): string => {
  const others = open.filter(({ name }) => name !== of.name)
  return paragraphs(
    `Session ${of.name}: ${of.phase}, generation ${of.generation}${of.uptimeMs === null ? ", no process runs" : `, pid ${of.pid} for ${duration(of.uptimeMs)}`}, session for ${duration(of.ageMs)}, ${plural(of.evaluations, "evaluation")}, idle ${duration(of.idleMs)}`,
    of.running === null ? undefined : `Now ${running(of.running)}`,
    of.doing === null ? undefined : `Now ${of.doing}`,
    background.length === 0 ? undefined : `In the background:\n${indent(background.map(backgroundLine).join("\n"))}`,
    `Engine: ${of.engine}${of.engineVersion === null ? "" : ` ${of.engineVersion}`} (${of.engineWhy})`,
    `Server: k3-mcp ${connection.server}${connection.protocol === undefined ? "" : `, MCP ${connection.protocol}`}`,
    connection.listening === undefined ? undefined : `HTTP: ${connection.listening}`,
    of.owner === undefined
      ? undefined
      : `Cluster: on machine ${of.owner.machine}, epoch ${of.owner.epoch}; ${connection.machine ?? "nobody"} answers`,
    `Fence: ${fenceLine(of.fence)}`,
    of.buildFolder === null ? undefined : `Build: ${of.buildFolder} (${of.buildFolderWhy})`,
    of.shadow === null ? undefined : `Shadow copy: ${of.shadow}`,
    of.runningHash === null && of.buildHash === null
      ? undefined
      : of.runningHash === of.buildHash
        ? `Hash: ${of.runningHash}, running and on disk`
        : `Hashes: running ${of.runningHash ?? "none"}, on disk ${of.buildHash ?? "none"}`,
    of.memoryBytes === null ? undefined : `Memory: ${mebibytes(of.memoryBytes)}`,
    of.spare === null
      ? undefined
      : `Spare: pid ${of.spare.pid}${of.spare.memoryBytes === null ? "" : `, ${mebibytes(of.spare.memoryBytes)}`}`,
    of.held.variables === 0
      ? undefined
      : `Held for restoring: ${plural(of.held.variables, "variable")}${of.held.missed === 0 ? "" : ", not yet what the last evaluations changed"}`,
    of.onDisk === null ? undefined : onDisk(of.onDisk),
    of.lastCrash === null ? undefined : `Last crash: ${of.lastCrash}`,
    `Limits: deadline ${duration(settings.evalTimeout)} (at most ${duration(settings.evalTimeoutMax)}), ${settings.outputShown} characters shown, ${mebibytes(settings.childMemory)}, ${plural(settings.maxSessions, "session")}`,
    others.length === 0 ? undefined : `Other sessions: ${others.map(otherSession).join(", ")}`,
    disk.stored.length === 0 ? undefined : `On disk, back on first use: ${stored(disk.stored)}`,
    `${settings.cluster === null ? "State folder" : "Kept in"}: ${disk.folder ?? "none (K3_STATE_DIR): nothing outlives this server"}`,
    notice,
  )
}

const statusOutput = ({ of, open, settings, disk, connection, caller, background, notice }: ShownFacts) => ({
  ok: true,
  ...present({
    session: of.name,
    phase: of.phase,
    engine: of.engine,
    engine_why: of.engineWhy,
    process_running: of.uptimeMs !== null,
    fence: fenceLine(of.fence),
    pid: of.pid,
    generation: of.generation,
    refused: of.refused ?? null,
    doing: of.doing,
    running:
      of.running === null ? null : { statement: of.running.statement, for_ms: roundMs(of.running.forMs), waiting: of.running.waiting },
    background:
      background.length === 0
        ? null
        : background.map(({ handle, session, phase, ms, bytes, code }) => ({
            handle,
            session,
            phase,
            for_ms: roundMs(ms),
            bytes,
            code,
          })),
    http: connection.listening ?? null,
    read_only: connection.isReadOnly === true ? true : null,
    caller,
    uptime_ms: roundMs(of.ageMs),
    child_uptime_ms: of.uptimeMs === null ? null : roundMs(of.uptimeMs),
    idle_ms: roundMs(of.idleMs),
    machine: of.owner?.machine ?? null,
    epoch: of.owner?.epoch ?? null,
    answered_by: connection.machine ?? null,
    commands: of.evaluations,
    memory_bytes: of.memoryBytes,
    spare_pid: of.spare?.pid ?? null,
    spare_memory_bytes: of.spare?.memoryBytes ?? null,
    held: of.held.variables === 0 ? null : of.held.variables,
    build_folder: of.buildFolder,
    build_folder_why: of.buildFolderWhy,
    shadow: of.shadow,
    running_hash: of.runningHash,
    last_crash: of.lastCrash,
    limits: {
      eval_timeout_ms: settings.evalTimeout,
      eval_timeout_max_ms: settings.evalTimeoutMax,
      output_shown: settings.outputShown,
      child_memory_bytes: settings.childMemory,
      max_sessions: settings.maxSessions,
    },
    sessions: open.map((each) => ({
      name: each.name,
      phase: each.phase,
      generation: each.generation,
      idle_ms: roundMs(each.idleMs),
    })),
    disk: {
      folder: disk.folder,
      ...(of.onDisk !== null && { age_ms: roundMs(of.onDisk.ageMs), behind: of.onDisk.behind }),
      ...(disk.stored.length > 0 && {
        stored_total: disk.stored.length,
        stored: disk.stored
          .slice(0, mostStored)
          .map(({ name, engine, variables, ageMs }) => ({ name, engine, variables, age_ms: roundMs(ageMs) })),
      }),
    },
    notice: notice === "" ? null : notice,
  }),
  stale: of.stale,
  build_hash: of.buildHash,
  versions: { server: connection.server, protocol: connection.protocol ?? null, engine: of.engineVersion },
})

const noBuild = ({ buildFolder, runningHash }: SessionStatus, { buildCommand }: SettingValues): string =>
  `No build is on disk${buildFolder === null ? "" : ` in ${buildFolder}`}${runningHash === null ? "" : "; the process goes on with the one it was launched with"}. ${buildFolder === null ? "Install k3-mcp again." : `Build it (${buildCommand}), then call k_reload.`}`

const newer = ({ refused }: SessionStatus): string =>
  refused === undefined
    ? "A newer build is on disk; k_reload switches to it."
    : `The build on disk was refused by k_reload: ${refused === "launch" ? "it did not start" : "it ended in a check that the running build survives"}. The running one goes on; build another, then call k_reload.`

export const status = (facts: Facts): Reply => {
  const { of, settings, connection } = facts
  const notice = paragraphs(
    connection.isReadOnly === true ? "You are read-only here: nothing is evaluated or changed for you." : undefined,
    of.stale === true ? newer(of) : undefined,
    of.buildHash === null && !of.isUnreached ? noBuild(of, settings) : undefined,
    lostLine(of.held.lost, "Not held for restoring"),
    of.engine === "k3csharp" && !of.isUnreached && of.fence._tag !== "Fenced" ? unfenced : undefined,
    // In a cluster the machine of the session and the front end each have their own; on one machine both are the same.
    ...new Set([...(of.trouble ?? []), ...facts.disk.trouble]),
  )
  const shown = { ...facts, background: facts.background.slice(-mostBackground), notice }
  return { text: statusText(shown), structured: statusOutput(shown) }
}

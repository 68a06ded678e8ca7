/** The replies of `k_session`. */
import type { MadeSession } from "../../session/ManagedSession.ts"
import type { Merged } from "../../session/variables/merge.ts"
import type { SessionStatus } from "../../session/SessionStatus.ts"
import type { Disk } from "../../session/storedSessions.ts"
import { noticed, type Reply } from "./Reply.ts"
import type { EvaluationStopped } from "../../session/SessionError.ts"
import type { ListedScript, Scripts } from "../../session/scripts.ts"
import { interruption } from "./ended.ts"
import { lostLine, lostOutput } from "./variables.ts"
import { duration, paragraphs, plural, roundMs, size, some } from "./words.ts"

const row = (of: SessionStatus) => ({
  name: of.name,
  engine: of.engine,
  phase: of.phase,
  generation: of.generation,
  age_ms: roundMs(of.ageMs),
  idle_ms: roundMs(of.idleMs),
  evaluations: of.evaluations,
  variables: of.held.variables + of.held.lost.length,
  ...(of.isEphemeral && { ephemeral: true }),
  ...(of.memoryBytes !== null && { memory_bytes: of.memoryBytes }),
})

const line = (of: SessionStatus): string =>
  of.isUnreached
    ? `${of.name}: ${of.doing}`
    : [
        `${of.name}: ${of.engine}, ${of.phase}`,
        `generation ${of.generation}`,
        `made ${duration(of.ageMs)} ago`,
        of.running !== null || of.doing !== null ? "in use" : `idle ${duration(of.idleMs)}`,
        plural(of.evaluations, "evaluation"),
        plural(row(of).variables, "variable"),
        ...(of.isEphemeral ? ["ephemeral"] : []),
        ...(of.memoryBytes === null ? [] : [size(of.memoryBytes)]),
      ].join(", ")

type OnDisk = Disk["stored"][number]

const storedRow = ({ name, engine, variables, ageMs }: OnDisk) => ({
  name,
  engine,
  phase: "on disk",
  generation: 0,
  age_ms: roundMs(ageMs),
  idle_ms: roundMs(ageMs),
  evaluations: 0,
  variables,
})

const storedLine = ({ name, engine, variables, ageMs }: OnDisk): string =>
  `${name}: ${engine}, on disk, written ${duration(ageMs)} ago, ${plural(variables, "variable")}; back on first use`

/** The most stored sessions in a reply. */
export const mostStored = 100

/** `stored`: the latest written first; `most` of them are listed. */
export const listed = (
  open: readonly SessionStatus[],
  stored: readonly OnDisk[],
  trouble: readonly string[] = [],
  most = mostStored,
): Reply => {
  const shown = stored.slice(0, most)
  const left = stored.length - shown.length
  return noticed(
    open.length + stored.length === 0 ? ["No session is open; k_eval makes one."] : [...open.map(line), ...shown.map(storedLine)],
    { sessions: [...open.map(row), ...shown.map(storedRow)] },
    // What the store cannot read is not in the list.
    [left === 0 ? undefined : `Not listed: ${plural(left, "session")} on disk, written earlier.`, ...trouble],
  )
}

export const begun = ({ name, engine, variables, isEphemeral }: MadeSession): Reply => {
  const given = `${plural(variables?.restored ?? 0, "variable")} ${variables?.restored === 1 ? "was" : "were"} given to it.`
  return noticed([], { name, ...(variables !== undefined && { restored: variables.restored, ...lostOutput(variables.lost) }) }, [
    `Session ${name} is open, engine ${engine}.${isEphemeral ? " Nothing of it is kept." : ""}`,
    variables && given,
    lostLine(variables?.lost ?? []),
  ])
}

const mostNames = 50
const namesIn = (paths: readonly string[], did: string): string | undefined =>
  paths.length === 0 ? undefined : `${did}: ${some(paths, mostNames)}.`

export const merged = (
  { from, snapshot }: { readonly from: string; readonly snapshot?: string | undefined },
  into: string,
  { added, overwritten, same, lost }: Merged,
): Reply => {
  const over = overwritten.map(({ path }) => path)
  const shown = (paths: readonly string[]) => paths.slice(0, mostNames)
  return noticed([], { merged: { added: shown(added), overwritten: shown(over), same: shown(same) }, ...lostOutput(lost) }, [
    `Merged into session ${into} from ${snapshot === undefined ? "" : `snapshot ${snapshot} of `}${from}.`,
    namesIn(added, "Added"),
    namesIn(over, "Overwritten"),
    namesIn(same, "The same already"),
    lostLine(lost, "Not merged"),
  ])
}

/** The most names of a script. */
const mostScriptNames = 20

const scriptLine = ({ name, comment, defines, loads, isCut }: ListedScript): string =>
  [
    comment === "" ? name : `${name}: ${comment}`,
    defines.length === 0 ? undefined : `defines ${some(defines, mostScriptNames)}`,
    loads.length === 0 ? undefined : `loads ${some(loads, mostScriptNames)}`,
    isCut ? "too long to be read whole, or not to be read" : undefined,
  ]
    .filter((part) => part !== undefined)
    .join("; ")

const scriptsNotice = ({ scripts, total, isCut }: Scripts): string =>
  paragraphs(
    scripts.length < total
      ? `${total - scripts.length} more are left out; call k_session scripts with names: words that the name, the comment or a definition holds.`
      : undefined,
    isCut ? "There may be more: not every folder was looked into." : undefined,
  )

/** The scripts, a line each. */
const scriptsList = ({ scripts }: Scripts, roots: readonly string[]): string =>
  scripts.map(scriptLine).join("\n") || `No such K script (*.k) lies below K3_ROOTS (${some(roots)}); \\l loads one that is made there.`

const scriptsOutput = ({ scripts }: Scripts) =>
  scripts.map(({ name, comment, defines, loads }) => ({
    file: name,
    ...(comment !== "" && { comment }),
    defines: defines.slice(0, mostScriptNames),
    loads: loads.slice(0, mostScriptNames),
  }))

export const scripts = (found: Scripts, roots: readonly string[]): Reply =>
  noticed([scriptsList(found, roots)], { scripts: scriptsOutput(found) }, [scriptsNotice(found)])

/** `idle`: the reason when nothing was stopped. */
export const interrupted = (idle: string, stopped: EvaluationStopped | undefined): Reply =>
  noticed([], { stopped: stopped !== undefined }, [stopped === undefined ? `${idle}: nothing was stopped.` : interruption(stopped)])

export const closed = (was: SessionStatus): Reply =>
  noticed([], {}, [
    `Session ${was.name} is closed: ${plural(was.evaluations, "evaluation")}, ${plural(row(was).variables, "variable")}.${was.running === null ? "" : ` What ran in it was ended: ${was.running.statement}`}`,
  ])

/**
 * Who a request acts for, and the settings of a principal's space. Pure. Guarantees: a space has a state folder and a root of its own, below
 * the operator's; a principal gets no shell and no K3CSharp but inside the fence, and never the build command.
 */
import type { SettingValues } from "../../Settings.ts"

export interface PrincipalLimits {
  /** Sessions at once. */
  readonly sessions: number
  /** Bytes of all its interpreters together: divided among the sessions. Null: each may have K3_CHILD_MEMORY. */
  readonly memory: number | null
  /** Evaluations that run or wait at once. */
  readonly evaluations: number
  /** Requests per minute. */
  readonly calls: number
}

export interface Principal {
  /** Those of one space see the same sessions; also the name of its folders. */
  readonly space: string
  /** What the history calls it. Undefined for the person of this machine, whose clients say what they are. */
  readonly name: string | undefined
  /** What was shown: a token's name, or an issuer's subject. Each has calls of its own. */
  readonly credential: string
  readonly readOnly: boolean
  readonly limits: PrincipalLimits
}

/** The space of the person who started the server, and of stdio. */
export const localSpace = "local"

export const unlimited: PrincipalLimits = { sessions: 1000, memory: null, evaluations: Infinity, calls: Infinity }

/** What a principal of whom nobody said more may have. */
export const usualLimits = ({ maxSessions }: Pick<SettingValues, "maxSessions">): PrincipalLimits => ({
  sessions: maxSessions,
  memory: null,
  evaluations: 8,
  calls: 600,
})

/** The folder that K reads and writes for a principal. */
export const rootOf = (principals: string, { space }: Pick<Principal, "space">): string => `${principals}/${space}`

/** The settings of its space; `root`: its own folder. */
export const settingsOf = (
  settings: SettingValues,
  { space, limits }: Pick<Principal, "space" | "limits">,
  root: string,
): SettingValues => {
  const isFenced = settings.fence === "required"
  const share = limits.memory === null ? settings.childMemory : Math.floor(limits.memory / limits.sessions)
  return {
    ...settings,
    isHosted: true,
    cwd: root,
    roots: [root],
    buildRoot: settings.buildRoot ?? settings.cwd,
    stateDir: settings.stateDir === null ? null : `${settings.stateDir}/principals/${space}`,
    maxSessions: limits.sessions,
    childMemory: Math.min(settings.childMemory, share),
    engine: settings.engine === "auto" && !isFenced ? "embedded" : settings.engine,
    shell: isFenced ? settings.shell : "deny",
    spare: false,
  }
}

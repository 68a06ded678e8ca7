/**
 * The principal of a request, and the settings of a principal's space. Pure. Guarantees: a space has a state folder and a root of its own, below
 * the operator's; a principal gets shell commands and K3CSharp only inside the fence, and never the build command.
 */
import type { SettingValues } from "../../Settings.ts"

export interface PrincipalLimits {
  /** Sessions at once. */
  readonly sessions: number
  /** Bytes for all its interpreters together, divided by the number of sessions. Null: K3_CHILD_MEMORY for each. */
  readonly memory: number | null
  /** Evaluations that run or wait at once. */
  readonly evaluations: number
  /** Requests per minute. */
  readonly calls: number
}

/** The space of a principal, and its limits there. */
export interface PrincipalSpace {
  /** The space: principals of one space see the same sessions. Also the name of its folders. */
  readonly space: string
  readonly limits: PrincipalLimits
}

export interface Principal extends PrincipalSpace {
  /** The name in the history. Undefined for the local person, whose clients give their own names. */
  readonly name: string | undefined
  /** The credential that was shown: a token's name, or an issuer's subject. The limit of calls is per credential. */
  readonly credential: string
  readonly readOnly: boolean
}

/** The space of the local person and of stdio. */
export const localSpace = "local"

export const unlimited: PrincipalLimits = { sessions: 1000, memory: null, evaluations: Infinity, calls: Infinity }

/** The default limits of a principal. */
export const usualLimits = ({ maxSessions }: Pick<SettingValues, "maxSessions">): PrincipalLimits => ({
  sessions: maxSessions,
  memory: null,
  evaluations: 8,
  calls: 600,
})

/** The root of a principal's space: the folder that its K code reads and writes. */
export const rootOf = (principals: string, { space }: Pick<PrincipalSpace, "space">): string => `${principals}/${space}`

/** The settings of a principal's space; `root`: the real path of its root. */
export const settingsOf = (settings: SettingValues, { space, limits }: PrincipalSpace, root: string): SettingValues => {
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

/** The replies of the server's tools, as far as the page reads them. */
import type { ListedVariable } from "../grid/layout.ts"

/** Of `k_session list`. */
export interface SessionRow {
  readonly name: string
  readonly engine: string
  readonly phase: string
  readonly idle_ms: number
  readonly variables: number
  readonly ephemeral?: boolean
}

/** Sessions with such a name hold the page's copies; the page's list of sessions leaves them out. */
export const ownSession = /^page-[0-9a-f]{8}$/

/** Of `k_status`. */
export interface Status {
  readonly session?: string
  readonly phase?: string
  readonly engine?: string
  readonly pid?: number
  readonly running?: { readonly statement: string; readonly for_ms: number; readonly waiting: number }
  readonly stale?: boolean | null
  /** Why a reload refused the build on disk. */
  readonly refused?: string
  readonly read_only?: boolean
  /** The name that the history gives this page. */
  readonly caller?: string
  readonly limits?: { readonly eval_timeout_max_ms: number }
  readonly sessions?: readonly { readonly name: string }[]
}

/** The details of one variable. */
export interface VariableDetail extends ListedVariable {
  readonly bytes?: number
  readonly tail?: string
  readonly least?: number
  readonly greatest?: number
  readonly mean?: number
  readonly distinct?: number
  readonly nulls?: number
  readonly sampled?: number
  readonly text?: string
}

/** Of `k_inspect`. */
export interface InspectionReply {
  readonly path?: string
  readonly entries?: readonly ListedVariable[]
  readonly value?: VariableDetail
  readonly others?: readonly string[]
  /** The number of entries that are left out, and the cursor of the first. */
  readonly omitted?: number
  readonly cursor?: string
  readonly generation?: number
  readonly notice?: string
}

/** Is the look not the state of now? True while an evaluation runs, and when the variable could not be read. */
export const isPassing = ({ notice, value }: InspectionReply): boolean =>
  notice?.includes("evaluation is running") === true || value?.kind === "no value"

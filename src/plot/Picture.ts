/** What is asked of a picture, and what comes back: what crosses between the server and the program that draws. */
import type { EngineKind } from "./Column.ts"

export const marks = ["line", "point", "bar", "histogram", "heatmap"] as const
export type Mark = (typeof marks)[number]

export interface PictureRequest {
  readonly engine: EngineKind
  readonly mark?: Mark | undefined
  /** Columns, each with `:T`, `:Q` or `:N` behind its name where it is to be taken for times, numbers or names. */
  readonly x?: string | undefined
  readonly y?: string | undefined
  readonly color?: string | undefined
  readonly title?: string | undefined
  /** Of Vega-Lite, in place of the above. */
  readonly spec?: object | undefined
  /** Pixels. */
  readonly width: number
  readonly height: number
}

/** What a picture is of, in words and figures. */
export interface Account {
  readonly mark: string
  /** Rows of the value, and marks, cells or bins that were drawn. */
  readonly rows: number
  readonly drawn: number
  /** Sentences: what it is of, what was left out, and what it shows. */
  readonly summary: readonly string[]
}

export interface Picture extends Account {
  readonly png: Uint8Array
  readonly svg: Uint8Array
  /** The rows that it shows, as JSON (`shown.ts`); empty when there are none. */
  readonly data: Uint8Array
  /** Pixels. */
  readonly width: number
  readonly height: number
}

export const mostBytes = 150_000
/** Pixels each way. */
export const mostPixels = 2000

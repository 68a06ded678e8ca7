/** The request for a picture and the reply, as they cross between the server and the program that draws. */
import type { EngineKind } from "../engineKinds.ts"

export const marks = ["line", "point", "bar", "histogram", "heatmap"] as const
export type Mark = (typeof marks)[number]

export interface PictureRequest {
  readonly engine: EngineKind
  readonly mark?: Mark | undefined
  /** Columns by name. A suffix `:T`, `:Q` or `:N` takes the column for times, numbers or names. */
  readonly x?: string | undefined
  readonly y?: string | undefined
  readonly color?: string | undefined
  readonly title?: string | undefined
  /** A Vega-Lite spec, in place of mark, x, y and color. */
  readonly spec?: object | undefined
  /** Pixels. */
  readonly width: number
  readonly height: number
}

/** The picture in words and figures. */
export interface PictureFacts {
  readonly mark: string
  /** Rows of the value, and the number of marks, cells or bins that are drawn. */
  readonly rows: number
  readonly drawn: number
  /** Sentences: the kind of value, the rows left out, and the facts that the picture shows. */
  readonly summary: readonly string[]
}

export interface Picture extends PictureFacts {
  readonly png: Uint8Array
  readonly svg: Uint8Array
  /** The drawn rows as JSON (`drawnRows.ts`); empty when the picture has none. */
  readonly data: Uint8Array
  /** Pixels. */
  readonly width: number
  readonly height: number
}

export const mostBytes = 150_000
/** Characters of a sentence about a picture. A name of K can be as long as a value. */
export const longestSentence = 1000
/** Pixels in each direction. */
export const mostPixels = 2000

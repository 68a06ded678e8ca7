/** Pictures of K code, drawn in this process, and their pixels. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { deflateSync, inflateSync } from "node:zlib"
import { itemOf } from "../../src/child/engines/image.ts"
import { draw, type Materials } from "../../src/plot/draw.ts"
import type { Picture, PictureRequest } from "../../src/plot/Picture.ts"
import { PlotRefused } from "../../src/plot/PlotRefused.ts"
import { type Data, dataOf } from "../../src/plot/shapes.ts"
import { trueTypeOf } from "../../src/plot/woff.ts"
import { makeConsole } from "../lib/session.ts"

const packages = join(import.meta.dirname, "../../node_modules")

const fontOf = (part: string): Uint8Array =>
  trueTypeOf(readFileSync(join(packages, `@fontsource/inter/files/inter-${part}-400-normal.woff`)), inflateSync)

const materials: Materials = {
  deflate: (bytes) => deflateSync(bytes, { level: 9 }),
  font: fontOf("latin"),
  others: ["latin-ext", "vietnamese", "greek", "greek-ext", "cyrillic", "cyrillic-ext"].map(fontOf),
  wasm: readFileSync(join(packages, "@resvg/resvg-wasm/index_bg.wasm")),
}

const { k, host } = makeConsole()

/** The image of the value of K code. */
const imageOf = (code: string): Uint8Array => {
  const { failure, image } = k.imaged(Buffer.from(code).toString("latin1"), { most: 2 ** 30, quiet: true })
  host.take()
  if (image === undefined) throw new Error(failure?.rendered ?? "no image")
  return image
}

export const data = (code: string): Data => dataOf(itemOf(imageOf(code), 20)!, "embedded")

export const plot = (code: string, request: Partial<PictureRequest> = {}): Promise<Picture> =>
  draw(imageOf(code), { engine: "embedded", width: 800, height: 500, ...request }, materials)

/** The refusal of a picture: the problem and the next step. */
export const refusal = async (work: () => unknown): Promise<string> => {
  try {
    await work()
  } catch (error) {
    if (error instanceof PlotRefused) return `${error.message} | ${error.next}`
    throw error
  }
  throw new Error("it was drawn")
}

export interface Pixels {
  readonly width: number
  readonly height: number
  readonly indexed: boolean
  /** `rrggbb`. */
  readonly at: (x: number, y: number) => string
  /** How many pixels are of a colour. */
  readonly count: (colour: string) => number
}

/** The PNG that the package writes: a palette, or three bytes a pixel as differences from above. */
export const decode = (png: Uint8Array): Pixels => {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength)
  const chunks = new Map<string, Uint8Array>()
  for (let at = 8; at < png.length; at += 12 + view.getUint32(at))
    chunks.set(String.fromCharCode(...png.subarray(at + 4, at + 8)), png.subarray(at + 8, at + 8 + view.getUint32(at)))
  const [width, height] = [view.getUint32(16), view.getUint32(20)]
  const palette = chunks.get("PLTE")
  const size = palette === undefined ? 3 : 1
  const rows = inflateSync(chunks.get("IDAT")!)
  const row = size * width + 1
  for (let y = 1; y < height; y++)
    for (let i = 1; i < row && rows[y * row] === 2; i++) rows[y * row + i] = (rows[y * row + i]! + rows[(y - 1) * row + i]!) & 255
  const at = (x: number, y: number): string => {
    const place = y * row + 1 + size * x
    const bytes = palette === undefined ? rows.subarray(place, place + 3) : palette.subarray(3 * rows[place]!, 3 * rows[place]! + 3)
    return Buffer.from(bytes).toString("hex")
  }
  const count = (colour: string): number => {
    let found = 0
    for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) if (at(x, y) === colour) found++
    return found
  }
  return { width, height, indexed: palette !== undefined, at, count }
}

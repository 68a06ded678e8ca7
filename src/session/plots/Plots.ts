/**
 * Pictures of K values: drawn by `Painter.ts`, with their SVG kept by number.
 *
 * Guarantees: at most `mostKept` pictures and `mostBytes` are kept for all sessions together; the oldest are dropped first. Does not: outlive
 * the server.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type { FenceMissing } from "../../child/ChildError.ts"
import type { Picture, PictureRequest } from "../../plot/Picture.ts"
import { Machine, programFolder } from "../../child/Machine.ts"
import type { AskedValue } from "../Evaluation.ts"
import type { NotAllowed } from "../SessionError.ts"
import { type NotDrawn, Painter } from "./Painter.ts"

const mostKept = 64
const mostBytes = 32 * 1024 ** 2

export interface KeptPicture {
  readonly session: string
  readonly n: number
  readonly title: string
  /** The figures in words, a sentence each. */
  readonly summary: readonly string[]
  /** The time at which the evaluation of its value was asked for, milliseconds since 1970. */
  readonly at: number
  readonly svg: Uint8Array
  /** The rows of the picture as JSON; empty without rows. */
  readonly data: Uint8Array
}

export class Plots extends Context.Service<
  Plots,
  {
    /** Begins to launch the drawing program, before a call of `draw`. */
    readonly begin: Effect.Effect<void>
    /** Draws the value of an image. `n`: the number under which its SVG is kept. */
    readonly draw: (
      session: string,
      value: AskedValue,
      request: PictureRequest,
      withinMs: number,
    ) => Effect.Effect<Picture & { readonly n: number }, NotDrawn | FenceMissing | NotAllowed>
    /** The page of a view, for hosts with MCP Apps; undefined when the package lacks it. */
    readonly view: (name: "plot" | "variable") => Effect.Effect<string | undefined>
    /** The kept pictures, the latest first. */
    readonly kept: () => readonly KeptPicture[]
  }
>()("k3-mcp/session/Plots") {
  static readonly layer = Layer.effect(
    Plots,
    Effect.gen(function* () {
      const { begin, draw } = yield* Painter
      const folder = programFolder(yield* Machine)
      const files = yield* FileSystem.FileSystem
      let kept: readonly KeptPicture[] = []
      let made = 0

      const keep = (session: string, { svg, data, mark, summary }: Picture, { title }: PictureRequest, at: number): number => {
        const all = [{ session, n: ++made, title: title ?? mark, summary, at, svg, data }, ...kept]
        let bytes = 0
        kept = all.filter((each, i) => i === 0 || (i < mostKept && (bytes += each.svg.length + each.data.length) <= mostBytes))
        return made
      }

      return Plots.of({
        begin,
        draw: (session, { image, at: askedAt }, request, withinMs) =>
          Effect.clockWith((clock) => {
            const at = askedAt ?? clock.currentTimeMillisUnsafe()
            return Effect.map(draw(image, request, withinMs), (picture) => ({ ...picture, n: keep(session, picture, request, at) }))
          }),
        view: (name) => Effect.orElseSucceed(files.readFileString(`${folder}/view/${name}.html`), () => undefined),
        kept: () => kept,
      })
    }),
  ).pipe(Layer.provide(Painter.layer))
}

/** P6 the process that draws, over a scripted process: when it is launched again. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Process, type ProcessExit } from "../../../src/child/Process.ts"
import { headOf } from "../../../src/plot/frames.ts"
import type { PictureRequest } from "../../../src/plot/Picture.ts"
import { Painter } from "../../../src/session/plots/Painter.ts"
import { noFence, platform, settings } from "../../lib/sessionLayers.ts"
import { Settings } from "../../../src/Settings.ts"

const request: PictureRequest = { engine: "embedded", width: 800, height: 500 }
const body = new Uint8Array([1])
const drawn = { kind: "picture", mark: "line", rows: 1, drawn: 1, summary: [], width: 800, height: 500 }
const killed: ProcessExit = { code: null, signal: "SIGKILL" }

/** Processes that answer a request with a picture, but the first `ends.length` of them end instead, with these words on standard error. */
const processes = (ends: readonly string[]) => {
  const asked: number[] = []
  let launched = 0
  const layer = Layer.succeed(Process, {
    spawn: () =>
      Effect.sync(() => {
        const n = launched++
        const end = ends[n]
        let onStdout: (chunk: Uint8Array) => void
        let onExit: (exit: ProcessExit) => void
        return {
          pid: 100 + n,
          write: () => {
            if (asked.includes(n)) return
            asked.push(n)
            queueMicrotask(() => {
              if (end !== undefined) return onExit(killed)
              onStdout(headOf(drawn, [body, body, body]))
              onStdout(new Uint8Array([1, 2, 3]))
            })
          },
          onStdout: (listener) => (onStdout = listener),
          onStderr: () => {},
          lowerPriority: () => {},
          onExit: (listener) => (onExit = listener),
          stderr: () => end ?? "",
          kill: () => {},
        }
      }),
  })
  const draw = Effect.flatMap(Painter, (painter) => painter.draw(body, request, 10_000)).pipe(
    Effect.provide(Painter.layer),
    Effect.provide([layer, noFence, platform, Layer.succeed(Settings, settings())]),
    Effect.scoped,
  )
  return { asked, draw }
}

it.effect("P6 a picture whose process was killed from outside is drawn by a new one", () =>
  Effect.gen(function* () {
    const { asked, draw } = processes([""])
    assert.deepStrictEqual((yield* draw).png, new Uint8Array([1]))
    assert.deepStrictEqual(asked, [0, 1])
  }),
)

it.effect("P6 a picture that ends two processes is not drawn", () =>
  Effect.gen(function* () {
    const { asked, draw } = processes(["", "", ""])
    assert.deepInclude(yield* Effect.flip(draw), {
      _tag: "NotDrawn",
      reason: { _tag: "ended", exit: { code: null, signal: "SIGKILL" }, said: "" },
    })
    assert.deepStrictEqual(asked, [0, 1])
  }),
)

it.effect("P6 a picture that takes too much memory is not drawn twice", () =>
  Effect.gen(function* () {
    const { asked, draw } = processes(["FATAL ERROR: JavaScript heap out of memory"])
    assert.deepInclude(yield* Effect.flip(draw), { _tag: "NotDrawn", reason: { _tag: "memory", most: 512 } })
    assert.deepStrictEqual(asked, [0])
  }),
)

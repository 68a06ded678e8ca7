/** P6, N16 the process that draws, over a scripted process: when it is launched again, and how it shares the machine. */
import { assert, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { Process, type ProcessExit } from "../../../src/child/Process.ts"
import { headOf } from "../../../src/plot/frames.ts"
import type { PictureRequest } from "../../../src/plot/Picture.ts"
import { EvaluationPlaces } from "../../../src/session/EvaluationPlaces.ts"
import { NotDrawn, Painter } from "../../../src/session/plots/Painter.ts"
import { noFence, platform, settings } from "../../lib/sessionLayers.ts"
import { Settings } from "../../../src/Settings.ts"

const request: PictureRequest = { engine: "embedded", width: 800, height: 500 }
const body = new Uint8Array([1])
const drawn = { kind: "picture", mark: "line", rows: 1, drawn: 1, summary: [], width: 800, height: 500 }
const killed: ProcessExit = { code: null, signal: "SIGKILL" }

/** Processes that answer a request with a picture, but the first `ends.length` of them end instead, with these words on standard error. */
const processes = (ends: readonly string[], isHosted = false) => {
  const asked: number[] = []
  const yielding: number[] = []
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
          lowerPriority: () => void yielding.push(n),
          onExit: (listener) => (onExit = listener),
          stderr: () => end ?? "",
          kill: () => {},
        }
      }),
  })
  const paint = <A, E>(
    work: (painter: Painter["Service"]) => Effect.Effect<A, E>,
    places: typeof EvaluationPlaces.layer = EvaluationPlaces.layer,
  ) =>
    Effect.flatMap(Painter, work).pipe(
      Effect.provide(Layer.provide(Painter.layer, places)),
      Effect.provide([layer, noFence, platform, Layer.succeed(Settings, { ...settings(), isHosted })]),
      Effect.scoped,
    )
  const draw = (places?: typeof EvaluationPlaces.layer) => paint((painter) => painter.draw(body, request, 10_000), places)
  return { asked, yielding, paint, draw }
}

it.effect("P6 a picture whose process was killed from outside is drawn by a new one", () =>
  Effect.gen(function* () {
    const { asked, draw } = processes([""])
    assert.deepStrictEqual((yield* draw()).png, new Uint8Array([1]))
    assert.deepStrictEqual(asked, [0, 1])
  }),
)

it.effect("P6 a picture that ends two processes is not drawn", () =>
  Effect.gen(function* () {
    const { asked, draw } = processes(["", "", ""])
    assert.deepInclude(yield* Effect.flip(draw()), {
      _tag: "NotDrawn",
      reason: { _tag: "ended", exit: { code: null, signal: "SIGKILL" }, said: "" },
    })
    assert.deepStrictEqual(asked, [0, 1])
  }),
)

it.effect("P6 a picture that takes too much memory is not drawn twice", () =>
  Effect.gen(function* () {
    const { asked, draw } = processes(["FATAL ERROR: JavaScript heap out of memory"])
    assert.deepInclude(yield* Effect.flip(draw()), { _tag: "NotDrawn", reason: { _tag: "memory", most: 512 } })
    assert.deepStrictEqual(asked, [0])
  }),
)

it.effect("P6 a drawing program whose files are gone is named as the cause, and is not launched again for the picture", () =>
  Effect.gen(function* () {
    for (const said of [
      "Error: Cannot find module '/dist/k3-plot.js'\n  code: 'MODULE_NOT_FOUND',",
      "Error: ENOENT: no such file or directory, open '/dist/resvg.wasm'",
    ]) {
      const { asked, draw } = processes([said])
      assert.deepInclude(yield* Effect.flip(draw()), { _tag: "NotDrawn", reason: { _tag: "gone" } })
      assert.deepStrictEqual(asked, [0])
    }
  }),
)

it.effect("N16 on a server with principals the process has a lower priority than the server; on another it has not", () =>
  Effect.gen(function* () {
    const [hosted, own] = [processes([], true), processes([])]
    yield* hosted.draw()
    yield* own.draw()
    assert.deepStrictEqual([hosted.yielding, own.yielding], [[0], []])
  }),
)

it.effect("N16 a picture waits for a place within its deadline, and says why", () =>
  Effect.gen(function* () {
    const waits = yield* Deferred.make<void>()
    const { asked, draw } = processes([], true)
    const taken = Layer.succeed(EvaluationPlaces, {
      within: (_, onWait) =>
        Effect.suspend(() => {
          onWait("a place")
          return Effect.andThen(Deferred.succeed(waits, undefined), Effect.never)
        }),
    })
    const drawing = yield* draw(taken).pipe(Effect.flip, Effect.forkChild)
    yield* Deferred.await(waits)
    yield* TestClock.adjust(10_000)
    const reason = { _tag: "deadline", ms: 10_000, waitsFor: "a place" } as const
    assert.deepInclude(yield* Fiber.join(drawing), { _tag: "NotDrawn", reason })
    assert.deepStrictEqual(asked, [])
  }),
)

it.effect("P6 the time in which a picture waits for an earlier one counts towards its deadline", () => {
  const holding = Layer.succeed(EvaluationPlaces, { within: () => Effect.never })
  return processes([]).paint(
    Effect.fnUntraced(function* ({ draw }) {
      yield* Effect.forkChild(draw(body, request, 10_000), { startImmediately: true })
      const second = yield* Effect.forkChild(Effect.flip(draw(body, request, 1000)), { startImmediately: true })
      yield* TestClock.adjust(1000)
      const reason = { _tag: "deadline", ms: 1000, waitsFor: "other pictures" } as const
      assert.deepStrictEqual(second.pollUnsafe(), Exit.succeed(new NotDrawn({ reason })))
    }),
    holding,
  )
})

/**
 * Runs the drawing program (`plot/`) as a separate process. The first plot launches it; it ends after `IDLE` without another plot.
 *
 * Guarantees: it draws one picture at a time, each within its deadline; waiting for other pictures counts. A picture that takes too long or too
 * much memory, or makes the program fail, ends only the program; the next picture launches a new one. A picture whose program ends otherwise is
 * drawn once more, by a new one, since the cause may lie outside. The program runs behind the fence where there is one, with a limited heap. On a
 * server with principals it yields to the server, and a picture takes a place as an evaluation does (`EvaluationPlaces.ts`).
 * Does not: draw, or know K.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as RcRef from "effect/RcRef"
import * as Semaphore from "effect/Semaphore"
import type { FenceMissing } from "../../child/ChildError.ts"
import { childEnvironment } from "../../child/environment.ts"
import { Fence } from "../../child/Fence.ts"
import { Machine, programFolder } from "../../child/Machine.ts"
import { Process, type ProcessExit, type ProcessSpec, type RunningProcess } from "../../child/Process.ts"
import { type Answered, type DrawRequest, headOf, type Message, MessageReader } from "../../plot/frames.ts"
import type { Picture, PictureRequest } from "../../plot/Picture.ts"
import { Settings } from "../../Settings.ts"
import { EvaluationPlaces } from "../EvaluationPlaces.ts"

/** Why a picture was not drawn. */
type Reason =
  /** The drawing program refused the request. `problem` and `next` are its words for the cause and the remedy. */
  | { readonly _tag: "refused"; readonly problem: string; readonly next: string }
  /** `waitsFor`: the reason why the picture still waited; absent for a picture that was being drawn. */
  | { readonly _tag: "deadline"; readonly ms: number; readonly waitsFor?: string | undefined }
  /** `most`: the limit in megabytes. */
  | { readonly _tag: "memory"; readonly most: number }
  /** A file of the drawing program was replaced or removed. */
  | { readonly _tag: "gone" }
  /** `said`: the line of standard error that names an error; empty without one. */
  | { readonly _tag: "ended"; readonly exit: ProcessExit; readonly said: string }
  | { readonly _tag: "spawn"; readonly detail: string }

/** The picture was not drawn. */
export class NotDrawn extends Data.TaggedError("NotDrawn")<{ readonly reason: Reason }> {}

const HEAP_MB = 512
const YOUNG_MB = 64
/** The program ends after this long without work, in ms. */
const IDLE = 120_000

interface DrawingProgram {
  readonly process: RunningProcess
  /** Fails once the program has ended. */
  readonly answers: Queue.Queue<Message<Answered>, NotDrawn>
}

const outOfMemory = /heap out of memory|Allocation failed|Array buffer allocation|Invalid array length|Invalid string length/i

/** Node's codes for a file of a program that is not there. */
const missingFile = /\b(?:MODULE_NOT_FOUND|ENOENT)\b/

const endedWith = (stderr: string, exit: ProcessExit): Reason => {
  if (outOfMemory.test(stderr)) return { _tag: "memory", most: HEAP_MB }
  if (missingFile.test(stderr)) return { _tag: "gone" }
  return { _tag: "ended", exit, said: /^.*(?:Error|FATAL).*$/m.exec(stderr)?.[0].slice(0, 200) ?? "" }
}

/** The cause may lie outside the program and the picture. */
const isFromOutside = (error: NotDrawn | FenceMissing): boolean =>
  error._tag === "NotDrawn" && (error.reason._tag === "ended" || error.reason._tag === "spawn")

const picture = ({ message, bodies: [png, svg, data] }: Message<Answered>): Effect.Effect<Picture, NotDrawn> =>
  message.kind === "refused"
    ? new NotDrawn({ reason: { _tag: "refused", problem: message.problem, next: message.next } })
    : Effect.succeed({ ...message, png: png!, svg: svg!, data: data! })

export class Painter extends Context.Service<
  Painter,
  {
    /** Begins to launch the program without waiting, so that it loads while the value is computed. */
    readonly begin: Effect.Effect<void>
    readonly draw: (image: Uint8Array, request: PictureRequest, withinMs: number) => Effect.Effect<Picture, NotDrawn | FenceMissing>
  }
>()("k3-mcp/session/Painter") {
  static readonly layer = Layer.effect(
    Painter,
    Effect.suspend(() => make),
  )
}

const specOf = (machine: Machine["Service"], cwd: string): ProcessSpec => ({
  command: machine.nodeProgram,
  // The rasteriser draws a picture in less time than the optimising compiler needs for it, so `--liftoff-only`.
  // The large young generation lets the garbage of a picture be collected at once.
  args: [
    `--max-old-space-size=${HEAP_MB}`,
    `--min-semi-space-size=${YOUNG_MB}`,
    `--max-semi-space-size=${YOUNG_MB}`,
    "--liftoff-only",
    `${programFolder(machine)}/k3-plot.js`,
  ],
  cwd,
  env: { ...childEnvironment(machine.environment, []), TZ: "UTC" },
  endsWithStdin: false,
  reads: [machine.nodeProgram, programFolder(machine)],
})

/** Launches the program, which ends when the scope closes. */
const launch = Effect.gen(function* () {
  const { cwd, isHosted } = yield* Settings
  const { spawn } = yield* Process
  const fence = yield* Fence
  const fenced = yield* fence.around(specOf(yield* Machine, cwd))
  const process = yield* Effect.mapError(spawn(fenced.spec), ({ reason }) => new NotDrawn({ reason: { _tag: "spawn", detail: reason } }))
  if (isHosted) process.lowerPriority()
  yield* fenced.check(process.pid)
  const reader = new MessageReader<Answered>()
  const answers = yield* Queue.unbounded<Message<Answered>, NotDrawn>()
  process.onStdout((chunk) => Queue.offerAllUnsafe(answers, reader.feed(chunk)))
  process.onExit((exit) => Queue.failCauseUnsafe(answers, Cause.fail(new NotDrawn({ reason: endedWith(process.stderr(), exit) }))))
  return { process, answers } satisfies DrawingProgram
})

const ask = ({ process, answers }: DrawingProgram, image: Uint8Array, request: PictureRequest) =>
  Effect.suspend(() => {
    const asked: DrawRequest = { request }
    process.write(headOf(asked, [image]))
    process.write(image)
    return Queue.take(answers)
  })

const make = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const places = yield* EvaluationPlaces
  const lock = yield* Semaphore.make(1)
  const program = yield* RcRef.make({ acquire: launch, idleTimeToLive: IDLE })

  /** The program that runs; a new one when the last has ended by itself. */
  const running = Effect.gen(function* () {
    const present = yield* RcRef.get(program)
    if (present.answers.state._tag === "Open") return present
    yield* RcRef.invalidate(program)
    return yield* RcRef.get(program)
  })

  const drawOnce = (image: Uint8Array, request: PictureRequest) =>
    running.pipe(
      Effect.flatMap((now) => ask(now, image, request)),
      // After a failure or a cancel the program may still draw, so it is ended.
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : RcRef.invalidate(program))),
      Effect.scoped,
    )

  const draw = (image: Uint8Array, request: PictureRequest, withinMs: number) =>
    Effect.suspend(() => {
      let waitsFor: string | undefined = "other pictures"
      const drawing = Effect.suspend(() => {
        waitsFor = undefined
        return Effect.retry(drawOnce(image, request), { times: 1, while: isFromOutside })
      })
      const placed = places.within(drawing, (what) => void (waitsFor = what))
      return lock.withPermit(placed).pipe(
        Effect.timeoutOrElse({
          duration: withinMs,
          orElse: () => new NotDrawn({ reason: { _tag: "deadline", ms: withinMs, waitsFor } }),
        }),
        Effect.flatMap(picture),
      )
    })

  return Painter.of({
    // A failed launch is ignored here: `draw` launches again and reports the failure.
    begin: Effect.asVoid(Effect.forkIn(Effect.ignore(Effect.scoped(running)), scope)),
    draw,
  })
})

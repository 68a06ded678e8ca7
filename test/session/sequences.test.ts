/**
 * Random sequences of events over whole sessions, under a virtual clock: launches that succeed, fail, hang and die at any moment,
 * evaluations, in the background too, deadlines, cancels, interrupts by others, defects of the server, resets, reloads, snapshots, undos, reads
 * and writes of the store, captures, closes and restarts of the server. Half of the sequences begin with a variable in the store. After any
 * sequence:
 *
 * - at most one child is adopted, and every other one is closed; at the end none is left;
 * - every caller is answered, once;
 * - a reply has the generation of its child, which is the number of children adopted so far;
 * - a change of the variables between replies is reported to each of two clients once, in its next reply;
 * - a variable has its last assigned value, unless a reply, an error or a cancel in between says that it may not;
 * - a value from before a reset is never seen after it, unless a snapshot is restored that has it;
 * - after a restart of the server the session has what the store has, and each client is told so once.
 *
 * `K3_SEQUENCES` sets the number of sequences, `K3_SEED` the first seed. A failure reports its seed.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Context from "effect/Context"
import { TestClock } from "effect/testing"
import { Caller } from "../../src/session/Caller.ts"
import type { EvaluateRequest, Evaluation, Notice } from "../../src/session/Evaluation.ts"
import type { Session } from "../../src/session/Session.ts"
import type { SessionError } from "../../src/session/SessionError.ts"
import { Sessions } from "../../src/session/Sessions.ts"
import { MemoryStore } from "../lib/memoryStore.ts"
import { randomFrom } from "../lib/random.ts"
import { type LaunchScript, Script } from "../lib/scriptedChild.ts"
import { FakeBuild, scripted } from "../lib/sessionLayers.ts"

const sequences = Number(process.env["K3_SEQUENCES"] ?? 300)
const firstSeed = Number(process.env["K3_SEED"] ?? 1)

/** Lets all pending fibers run. */
const moment = Effect.forEach(Array.from({ length: 12 }), () => Effect.yieldNow, { discard: true })

const byNumber = (a: number, b: number): number => a - b
const kindsOf = ({ notices }: Evaluation) => notices.filter(({ kind }) => kind === "fresh" || kind === "restored")

/** Whether a notice says that all variables are as in the reply before. */
const isWhole = (notice: Notice): boolean =>
  notice.kind === "restored" ? notice.missed === 0 && notice.lost.length === 0 : notice.kind !== "fresh"

class Run {
  readonly script = new Script()
  readonly store = new MemoryStore()
  readonly build = new FakeBuild()
  readonly trail: string[] = []
  /** Process ids, in the order in which they were adopted. */
  private adopted: number[] = []
  private readonly calls: { readonly name: string; readonly fiber: Fiber.Fiber<unknown, unknown>; answers: number }[] = []
  /** Handles of evaluations in the background, by the names of their calls. A call is answered when its evaluation ends. */
  private readonly handles = new Map<string, string>()
  /** The generation up to which each client was told about the variables. */
  private known: [number, number] = [1, 1]
  /** The client that makes the next call. */
  private client: 0 | 1 = 0
  private serial = 1
  private session!: Session
  private sessions!: Sessions["Service"]
  private scope!: Scope.Closeable
  /** The value of `x` in the snapshot; undefined when it is uncertain. */
  private saved: number | undefined
  /** Restores of the snapshot that are not answered yet. They may bring back a value from before a reset. */
  private restoring = 0
  /** Was the workspace emptied in this life of the server? Then a client may not be told what came from the store. */
  private isEmptied = false
  /** The first wrong answer. */
  private wrong: unknown
  /** The last value assigned before a reset. It must not be seen again. */
  private hidden = 0
  /** The value of `x`; undefined after a message that makes it uncertain. */
  private expected: number | undefined
  private readonly random: () => number

  constructor(
    readonly seed: number,
    private readonly engine: "embedded" | "k3csharp",
  ) {
    this.random = randomFrom(seed)
    if (this.below(2) === 0) return
    const x = { path: ".k.x", type: 4, shape: "", bytes: 1, text: "1", image: engine === "embedded" ? "1" : "_db 49" }
    const settings = { precision: 7, seed: -314159, directory: ".k", folder: "/" }
    this.store.workspaces.set("main", { engine, contents: { variables: new Map([[x.path, x]]), settings }, savedAt: 1 })
    this.store.delay = this.below(3) * 100
    this.expected = 1
    this.known = [0, 0]
  }

  private below(n: number): number {
    return Math.floor(this.random() * n)
  }

  /** Adoptions are told by the log, and by nothing a session computes from. */
  readonly logger = Logger.make(({ message }) => {
    const pid = /launched, pid (\d+)/.exec(String(message))?.[1]
    if (pid !== undefined) this.adopted.push(Number(pid))
  })

  private layer() {
    return Layer.fresh(
      scripted(
        this.script,
        {
          engine: this.engine,
          spare: this.seed % 3 === 0,
          evalTimeout: 1000,
          interruptGrace: 100,
          launchTimeout: 2000,
          restartFirstDelay: 50,
          restartMaxDelay: 200,
          restartCrashes: 4,
          restartWindow: 1000,
          restartCooldown: 2000,
          persistEvery: 2,
          sessionTtl: 3_600_000,
        },
        this.build,
        this.store.layer,
      ),
    )
  }

  private say(what: string): void {
    this.trail.push(what)
  }

  private as<A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.provideService(effect, Caller, { name: "agent", reader: String(this.client) })
  }

  private call<A, E>(name: string, effect: Effect.Effect<A, E>, heard: (exit: Exit.Exit<A, E>) => void) {
    return Effect.gen({ self: this }, function* () {
      const counted = Effect.onExit(effect, (exit) =>
        Effect.sync(() => {
          one.answers++
          if (Exit.hasInterrupts(exit)) {
            this.cancelled(name)
            return
          }
          const judged = Result.try(() => heard(exit))
          if (Result.isFailure(judged)) this.wrong ??= judged.failure
        }),
      )
      const one = { name, answers: 0, fiber: undefined as unknown as Fiber.Fiber<A, E> }
      one.fiber = yield* Effect.forkDetach(this.as(counted), { startImmediately: true })
      this.calls.push(one)
    })
  }

  private evaluate(session: Session, code: string, rest: Pick<EvaluateRequest, "timeoutMs" | "rollback" | "changes" | "value"> = {}) {
    const name = `${code}${this.client === 1 ? " (B)" : ""}${rest.rollback === true ? " (rollback)" : ""} #${this.calls.length}`
    this.say(name)
    const { client } = this
    const hidden = this.restoring > 0 ? 0 : this.hidden
    const marked = code.includes("defect") ? code : `${code}\nprint @${this.calls.length}`
    return this.call(name, session.evaluate({ code: marked, ...rest }), (exit) => this.heard(client, code, hidden, exit))
  }

  /** An evaluation in the background. A cancel of the call stops it by its handle. */
  private background() {
    const { client, sessions } = this
    const code = [`x: ${this.serial}`, "x", "loop"][this.below(3)]!
    const number = this.calls.length
    const name = `${code} (background${client === 1 ? ", B" : ""}) #${number}`
    const hidden = this.restoring > 0 ? 0 : this.hidden
    this.say(name)
    const evaluation = Effect.gen({ self: this }, function* () {
      const { handle } = yield* sessions.backgrounds.begin("main", { code: `${code}\nprint @${number}`, timeoutMs: 5000 })
      this.handles.set(name, handle)
      yield* sessions.backgrounds.ended(handle)
      const { phase, exit } = yield* sessions.backgrounds.find(handle)
      assert.strictEqual(phase, "ended")
      return yield* exit!
    })
    return this.call(name, evaluation, (exit) => this.heard(client, code, hidden, exit))
  }

  /** Checks an answer. */
  private heard(client: 0 | 1, code: string, hiddenThen: number, exit: Exit.Exit<Evaluation, SessionError>): void {
    if (Exit.isSuccess(exit)) {
      const { value } = exit
      this.say(`  → ${code}: ${value.output.replaceAll("\n", "|")} g${value.generation} ${value.notices.map(({ kind }) => kind).join(" ")}`)
      const [marker] = /print @\d+/.exec(`print ${/@\d+/.exec(value.output)?.[0] ?? ""}`) ?? []
      const server = marker === undefined ? undefined : this.script.processes.find(({ lines }) => lines.includes(marker))
      if (server !== undefined)
        assert.strictEqual(value.generation, this.adopted.indexOf(server.pid) + 1, "generation of the child that answered")
      const told = kindsOf(value)
      assert.isAtMost(told.length, 1, "one notice at most")
      if (!this.isEmptied || this.known[client] > 0)
        assert.strictEqual(
          told.length === 1,
          value.generation > this.known[client],
          `notice of generation ${value.generation}, known ${this.known[client]}`,
        )
      this.known[client] = value.generation
      const seen = Number(/^(\d+)/.exec(value.output)?.[1] ?? 0)
      if (!value.notices.every(isWhole)) this.expected = undefined
      if (code === "x" && this.expected !== undefined) assert.strictEqual(seen, this.expected, "the value that x was given")
      if (code === "x" && seen > 0) this.expected = seen
      const given = /^x: (\d+)/.exec(code)?.[1]
      if (given !== undefined) this.expected = value.rolledBack === true ? undefined : Number(given)
      if (code === "x" && seen > 0) assert.isAbove(seen, hiddenThen, "a value from before a reset")
      return
    }
    if (code.includes("defect") && Exit.hasDies(exit)) {
      this.say(`  → ${code}: a defect`)
      // The child ran the assignment before, and lives on.
      const given = /^x: (\d+)\ndefect$/.exec(code)?.[1]
      this.expected = given === undefined ? undefined : Number(given)
      return
    }
    const error = exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error
    assert.isDefined(error, `${code} ended in a defect: ${String(exit.cause)}`)
    this.expected = undefined
    this.say(`  → ${code}: ${error._tag} ${"state" in error ? error.state : ""} ${"generation" in error ? `g${error.generation}` : ""}`)
    // These errors report the loss themselves, so no notice repeats it.
    if (error._tag === "ChildDied" && error.held === undefined) this.known[client] = error.generation
    if ((error._tag === "DeadlineExceeded" || error._tag === "EvaluationStopped") && error.state === "lost")
      this.known[client] = error.generation
  }

  /** Performs one random event. */
  private step(): Effect.Effect<unknown, unknown> {
    const { session } = this
    const serial = ++this.serial
    this.client = this.below(2) === 0 ? 0 : 1
    const dice = this.below(105)
    if (dice < 22) return this.evaluate(session, `x: ${serial}`)
    if (dice < 34) return this.evaluate(session, "x")
    if (dice < 37) return this.evaluate(session, `x: ${serial}\nerr type`, { rollback: this.below(2) === 0 })
    if (dice < 39) return this.evaluate(session, "y: 1", { changes: true })
    if (dice < 41) return this.evaluate(session, this.below(3) === 0 ? "z: deadly" : "z: shy")
    if (dice < 46) return this.evaluate(session, this.below(2) === 0 ? "loop" : "deaf", { timeoutMs: 100 })
    if (dice < 50) return this.evaluate(session, "exit 3")
    if (dice < 54) return this.cancel()
    if (dice < 59) return this.reset(session)
    if (dice < 64) return this.reload(session)
    if (dice < 68) return this.launches()
    if (dice < 72) return this.dies()
    if (dice < 74) return this.holds()
    if (dice < 76) return this.inspects(session)
    if (dice < 77) return this.built()
    if (dice < 79) return this.saves(session)
    if (dice < 81) return this.restores(session)
    if (dice < 82) return this.undoes(session)
    if (dice < 84) return this.defect(session)
    if (dice < 85) return this.restarts
    if (dice < 88) return this.background()
    if (dice < 90) return this.interrupts(session)
    return this.passes()
  }

  private cancel() {
    const open = this.calls.filter(({ fiber }) => fiber.pollUnsafe() === undefined)
    const one = open[this.below(open.length)]
    if (one === undefined) return Effect.void
    this.say(`cancel ${one.name}`)
    const handle = this.handles.get(one.name)
    if (one.name.includes("background")) return handle === undefined ? Effect.void : this.stops(handle)
    return Effect.sync(() => {
      // The call may have changed the variables already: the next reply can come before this call ends.
      this.cancelled(one.name)
      one.fiber.interruptUnsafe()
    })
  }

  private stops(handle: string) {
    return this.call("stop", this.sessions.backgrounds.stop(handle), (exit) => {
      this.say(`  → stop ${handle} ${exit._tag}`)
      assert.isTrue(Exit.isSuccess(exit), "the stop of a known handle")
    })
  }

  /** Another client stops the evaluation that runs. */
  private interrupts(session: Session) {
    this.say("interrupt")
    return this.call("interrupt", session.interrupt, (exit) => {
      this.say(`  → interrupt ${Exit.isSuccess(exit) ? (exit.value?.statement ?? "nothing") : "fails"}`)
      assert.isTrue(Exit.isSuccess(exit), "an interrupt")
    })
  }

  private cancelled(name: string): void {
    if (/^(x: |reset|reload|restore|undo)/.test(name)) this.expected = undefined
  }

  /** An exception of the server's own code, with the child idle, running and deaf. */
  private defect(session: Session) {
    const what = ["defect", "defect busy", "defect deaf"][this.below(3)]!
    return this.evaluate(session, `x: ${this.serial}\n${what}`, { value: { image: 100 } })
  }

  private saves(session: Session) {
    const { expected, calls } = this
    const isAlone = calls.every(({ fiber }) => fiber.pollUnsafe() !== undefined)
    const before = calls.length
    this.say("save")
    return this.call("save", session.snapshots.save("s"), (exit) => {
      this.say(`  → save ${exit._tag}`)
      if (!Exit.isSuccess(exit)) return
      // A later child, of which no reply has told yet, may have older variables.
      const isTold = exit.value.snapshot.generation <= Math.max(...this.known)
      this.saved = isAlone && isTold && calls.length === before + 1 && this.expected === expected ? expected : undefined
    })
  }

  private restores(session: Session) {
    const { client } = this
    this.say("restore")
    this.restoring++
    const restore = Effect.onExit(session.snapshots.restore("s"), () => Effect.sync(() => this.restoring--))
    return this.call("restore", restore, (exit) => {
      this.say(`  → restore ${exit._tag}`)
      this.expected = undefined
      if (!Exit.isSuccess(exit)) return
      this.hidden = 0
      const { renewed, generation, lost } = exit.value
      if (renewed) this.known[client] = generation
      if (lost.length === 0) this.expected = this.saved
    })
  }

  private undoes(session: Session) {
    const { client } = this
    const direction = this.below(3) > 0 ? "undo" : "redo"
    this.say(direction)
    return this.call("undo", session.snapshots.undo(direction), (exit) => {
      this.say(`  → ${direction} ${exit._tag}`)
      this.expected = undefined
      if (Exit.isSuccess(exit) && exit.value.renewed) this.known[client] = exit.value.generation
    })
  }

  private reset(session: Session) {
    const { client, serial: before } = this
    this.isEmptied = true
    this.say("reset")
    return this.call("reset", session.reset, (exit) => {
      this.say(`  → reset ${exit._tag}`)
      this.expected = undefined
      if (!Exit.isSuccess(exit)) return
      this.known[client] = exit.value.generation
      this.hides(before)
    })
  }

  private reload(session: Session) {
    const { client, serial: before } = this
    const preserveState = this.below(3) > 0
    if (!preserveState) this.isEmptied = true
    this.say(`reload ${preserveState}`)
    return this.call("reload", session.reload({ preserveState }), (exit) => {
      this.say(`  → reload ${exit._tag}`)
      if (!Exit.isSuccess(exit)) return
      this.known[client] = exit.value.generation
      const { variables } = exit.value
      if (variables === null || variables.missed > 0 || variables.lost.length > 0) this.expected = undefined
      if (!preserveState) this.hides(before)
    })
  }

  /** Values up to this one must not be seen again, unless an evaluation in the background has still to assign one. */
  private hides(value: number): void {
    const isPending = this.calls.some(({ name, fiber }) => /^x: .*background/.test(name) && fiber.pollUnsafe() === undefined)
    if (!isPending) this.hidden = Math.max(this.hidden, value)
  }

  private launches() {
    const plan = (["exit", "mute", "refuse", "slow", "slow", "exit"] as const satisfies readonly LaunchScript[])[this.below(6)]!
    this.say(`next launch: ${plan}`)
    return Effect.sync(() => void this.script.launches.push(plan))
  }

  private dies() {
    const alive = this.script.processes.filter((each) => each.alive())
    const one = alive[this.below(alive.length)]
    if (one === undefined) return Effect.void
    this.say(`${one.pid} dies`)
    return Effect.sync(() => one.exit({ code: null, signal: "SIGSEGV" }))
  }

  private holds() {
    this.say("kills are held, or let go")
    return Effect.sync(() => {
      if (this.script.holdKills) this.script.release()
      else this.script.holdKills = true
      this.store.delay = this.below(3) * 100
      this.store.isFull = this.below(4) === 0
    })
  }

  private inspects(session: Session) {
    this.say("inspect, script, persist")
    return Effect.andThen(
      this.call("inspect", Effect.ignore(session.inspect("")), () => {}),
      this.below(2) === 0
        ? this.call("script", Effect.ignore(session.script(1000)), () => {})
        : this.call("persist", Effect.ignore(session.persist), () => {}),
    )
  }

  private built() {
    this.say("a build")
    const hash = String(this.serial)
    return Effect.sync(() => void (this.build.onDisk = { hash, content: hash }))
  }

  private passes() {
    const ms = [0, 1, 50, 150, 150, 400, 1000, 3000][this.below(8)]!
    this.say(`${ms} ms`)
    if (this.below(3) === 0) this.script.wake()
    return TestClock.adjust(ms)
  }

  /** Performs a whole sequence, and checks its end. */
  readonly run = Effect.gen({ self: this }, function* () {
    yield* this.opens
    yield* this.events()
    yield* this.settle
    if (this.wrong !== undefined) return yield* Effect.fail(this.wrong)
    yield* this.rests
    if (this.below(2) === 0) yield* Effect.andThen(this.evaluate(this.session, "loop"), moment)
    yield* this.closes
    for (const { name, fiber, answers } of this.calls) {
      assert.isDefined(fiber.pollUnsafe(), `${name} was not answered`)
      assert.strictEqual(answers, 1, `${name} was answered once`)
    }
  })

  private readonly opens = Effect.gen({ self: this }, function* () {
    this.scope = yield* Scope.make()
    this.sessions = Context.get(yield* Layer.buildWithScope(this.layer(), this.scope), Sessions)
    for (const client of [0, 1] as const) {
      this.client = client
      this.session = yield* this.as(this.sessions.get("main"))
    }
  })

  /** Checks a session in which nothing happens. */
  private readonly rests = Effect.gen({ self: this }, function* () {
    const { pid, phase, generation, spare } = yield* this.session.status
    assert.include(["down", "ready", "failed"], phase, "the phase at rest")
    this.say(`at rest: ${phase}, pid ${pid}, alive ${this.script.alive.join(" ")}`)
    assert.deepStrictEqual<readonly (number | undefined | null)[]>(
      [...this.script.alive].toSorted(byNumber),
      [pid, spare?.pid].filter((each) => typeof each === "number").toSorted(byNumber),
      "only the session's children live",
    )
    assert.strictEqual(new Set(this.adopted).size, this.adopted.length, "a child is adopted once")
    assert.strictEqual(generation, this.adopted.length, "generation")
  })

  private readonly closes = Effect.gen({ self: this }, function* () {
    this.store.delay = 0
    const closing = yield* Effect.forkDetach(Scope.close(this.scope, Exit.void))
    yield* this.settle
    yield* Fiber.join(closing)
    // Nobody answers a call that waits for the end of an evaluation when the server ends.
    for (const { name, fiber } of this.calls) if (name.includes("background")) fiber.interruptUnsafe()
    yield* moment
    if (this.wrong !== undefined) return yield* Effect.fail(this.wrong)
    assert.deepStrictEqual(this.script.alive, [], "nothing is left")
  })

  /** The server ends and begins again, at once or when nothing happens. Then it has written all that its replies told. */
  private readonly restarts = Effect.gen({ self: this }, function* () {
    this.say("the server restarts")
    const isQuiet = this.below(2) === 0
    if (isQuiet) yield* Effect.andThen(this.settle, this.rests)
    const { phase, generation } = yield* this.session.status
    const told = isQuiet && phase === "ready" && Math.max(...this.known) >= generation ? this.expected : undefined
    yield* this.closes
    const variables = this.store.workspaces.get("main")?.contents.variables ?? new Map<string, { readonly text: string }>()
    const x = variables.get(".k.x")?.text
    this.say(`  → stored: ${[...variables.keys()].join(" ")}; x is ${x}, was told ${told}`)
    if (told !== undefined) assert.strictEqual(Number(x), told, "the stored value of x")
    if (x !== undefined) assert.isAbove(Number(x), this.hidden, "a stored value from before a reset")
    this.expected = x === undefined ? undefined : Number(x)
    this.known = variables.size > 0 ? [0, 0] : [1, 1]
    this.adopted = []
    this.saved = undefined
    this.isEmptied = false
    yield* this.opens
  })

  private readonly events = Effect.fnUntraced(function* (this: Run) {
    for (let left = 5 + this.below(20); left > 0; left--) {
      yield* this.step()
      if (this.below(3) > 0) yield* moment
    }
  })

  /** Releases all that is held up, and lets time pass until nothing more happens. */
  private readonly settle = Effect.gen({ self: this }, function* () {
    this.script.launches.length = 0
    this.store.isFull = false
    const isAwaited = () => this.calls.some(({ fiber }) => fiber.pollUnsafe() === undefined)
    // Each evaluation in the background has five seconds, and many may wait.
    for (let i = 0; i < 12 || (i < 30 && isAwaited()); i++) {
      this.script.release()
      this.script.wake()
      yield* moment
      yield* TestClock.adjust(i < 8 ? 400 : 5000)
    }
    yield* moment
  })
}

describe("any sequence of events", () => {
  for (const engine of ["embedded", "k3csharp"] as const)
    it(
      `S1 S3 S4 S5 S13 S14 S19 S20 S22 S33 leaves a session of ${engine} in order`,
      async () => {
        for (let seed = firstSeed; seed < firstSeed + Math.ceil(sequences / 2); seed++) {
          const run = new Run(seed, engine)
          await Effect.runPromise(Effect.provide(run.run, Layer.mergeAll(TestClock.layer(), Logger.layer([run.logger])))).catch(
            (error: unknown) => {
              throw new Error(`seed ${seed}: ${String(error)}\n${run.trail.join("\n")}`)
            },
          )
        }
      },
      Math.max(120_000, sequences * 200),
    )
})

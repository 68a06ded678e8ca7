/**
 * Random lives of sessions, compared with a pure model of their variables: evaluations, attributes, directories, errors and deadlines
 * rolled back or not, kills before and after a capture, reloads, resets, snapshots, forks. Over the embedded engine and K3CSharp as
 * real processes, and over a scripted K3CSharp. `K3_LIVES` sets how many lives each has.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import type { Session } from "../../../src/session/Session.ts"
import { Sessions } from "../../../src/session/Sessions.ts"
import type { SettingValues } from "../../../src/Settings.ts"
import { captured } from "../../lib/waiting.ts"
import { Script } from "../../lib/scriptedChild.ts"
import { real, scripted } from "../../lib/sessionLayers.ts"
import { born, differing, equals, goneOn, type Held, type Life, nothing, saved, sure, withNote, withValue } from "../model.ts"

const buildDir = process.env["K3_BUILD_DIR"]
const lives = Number(process.env["K3_LIVES"] ?? 2)

interface Subject {
  readonly name: string
  readonly layer: (settings: Partial<SettingValues>) => ReturnType<typeof real>
  readonly engine: "embedded" | "k3csharp"
  readonly paths: readonly string[]
  /** Code, and its printed value. */
  readonly values: readonly string[]
  readonly set: (path: string, value: string) => string
  readonly loop: string
  readonly error: string
  readonly exit: string
  /** Whether the engine has attributes, and a precision. */
  readonly tree: boolean
}

const set = (path: string, value: string): string => {
  const cut = path.lastIndexOf(".")
  if (path.startsWith(".k.") && cut === 2) return `${path.slice(3)}:${value}`
  const directory = path.slice(0, cut)
  // A plain value becomes nil, which may become a directory. Where there is one, the assignment is refused.
  return `@[{.[x;();:;_n]};\`${directory};:];\n\\d ${directory}\n${path.slice(cut + 1)}:${value}\n\\d .k`
}

const subjects: readonly Subject[] = [
  {
    name: "the embedded engine",
    layer: real,
    engine: "embedded",
    paths: [".k.a", ".k.b", ".k.c", ".k.sub", ".k.sub.x", ".k.sub.y", ".other.z"],
    values: ["1 2 3", "-7", '"text"', "`a `b", "!0", "{x+1}", '(1;`b;"c")', "1.5", "+/", "{[a;b]a,b}[3;]"],
    set,
    loop: "while[1;1]",
    error: "nothing",
    exit: "_exit 3",
    tree: true,
  },
  {
    name: "a scripted K3CSharp",
    layer: (settings) => scripted(new Script(), settings),
    engine: "k3csharp",
    paths: [".k.a", ".k.b", ".k.c"],
    values: ["one", "two", "three"],
    set: (path, value) => `${path.slice(3)}: ${value}`,
    loop: "loop",
    error: "err Undefined variable: nothing",
    exit: "exit 3",
    tree: false,
  },
  ...(buildDir === undefined
    ? []
    : [
        {
          name: "K3CSharp",
          layer: (settings: Partial<SettingValues>) => real({ ...settings, buildDir }),
          engine: "k3csharp" as const,
          paths: [".k.a", ".k.b", ".k.c"],
          values: ["1 2 3", "-7", '"text"', "`a`b", "{x+1}", "1.5", '{x,"q r"}'],
          set,
          loop: "while[1;1]",
          error: "nothing",
          exit: ".k.f:{.k.f x}\n.k.f 1",
          tree: false,
        },
      ]),
]

type Step =
  | { readonly kind: "set"; readonly path: string; readonly value: string }
  | { readonly kind: "append" | "amend"; readonly path: string; readonly number: number }
  | { readonly kind: "note"; readonly path: string; readonly value: string }
  | { readonly kind: "precision"; readonly number: number }
  | { readonly kind: "fail" | "late"; readonly path: string; readonly value: string; readonly rollback: boolean }
  | { readonly kind: "kill"; readonly path: string; readonly value: string; readonly captured: boolean }
  | { readonly kind: "reload" | "reset" }
  | { readonly kind: "save" | "restore" | "diff" | "rebase" | "delete"; readonly name: string }
  | { readonly kind: "rename"; readonly name: string; readonly to: string }
  | { readonly kind: "fork"; readonly from: string | undefined }

const steps = ({ paths, values, tree }: Subject): fc.Arbitrary<Step>[] => {
  const [path, value, name] = [fc.constantFrom(...paths), fc.constantFrom(...values), fc.constantFrom("s", "t")]
  const kind = (each: Step["kind"], rest: object) => fc.record({ kind: fc.constant(each), ...rest }) as fc.Arbitrary<Step>
  const number = fc.integer({ min: -9, max: 9 })
  // The attributes of a value that becomes a directory stay, and are not read here.
  const noted = paths.filter((each) => !paths.some((other) => other.startsWith(`${each}.`)))
  return [
    kind("set", { path, value }),
    kind("set", { path, value }),
    ...(tree
      ? [
          kind("append", { path, number }),
          kind("amend", { path, number }),
          kind("note", { path: fc.constantFrom(...noted), value: fc.constantFrom("m", "n") }),
        ]
      : []),
    ...(tree ? [kind("precision", { number: fc.constantFrom(3, 7) })] : []),
    kind("fail", { path, value, rollback: fc.boolean() }),
    kind("late", { path, value, rollback: fc.boolean() }),
    kind("kill", { path, value, captured: fc.boolean() }),
    kind("reload", {}),
    kind("reset", {}),
    ...(["save", "restore", "restore", "diff", "rebase", "delete"] as const).map((each) => kind(each, { name })),
    kind("rename", { name, to: name }),
    kind("fork", { from: fc.constantFrom(undefined, "s") }),
  ]
}

const isNumbers = (value: string | undefined): value is string => value !== undefined && /^-?\d+( -?\d+)+$/.test(value)

/** Whether the action is possible now. */
const applies = ({ held, snapshots }: Life, step: Step): boolean => {
  // A plain value cannot replace a directory.
  if ("path" in step && [...held.values.keys()].some((path) => path.startsWith(`${step.path}.`))) return false
  switch (step.kind) {
    case "append":
    case "amend":
      return isNumbers(held.values.get(step.path))
    case "note":
      return held.values.has(step.path)
    case "restore":
    case "diff":
    case "rebase":
    case "delete":
      return snapshots.has(step.name)
    case "rename":
      return snapshots.has(step.name) && !snapshots.has(step.to)
    case "fork":
      return step.from === undefined || snapshots.has(step.from)
    default:
      return true
  }
}

/** One session is used at a time. After a fork, the fork is used, and the original is closed. */
class World {
  private generation = 0
  constructor(
    private readonly subject: Subject,
    private readonly sessions: Sessions["Service"],
    private session: Session,
    private readonly prints: ReadonlyMap<string, string>,
  ) {}

  /** Performs one action; gives the possible models afterwards. */
  readonly take = Effect.fnUntraced(function* (this: World, life: Life, step: Step): Effect.fn.Return<readonly Life[], unknown> {
    const { session, subject } = this
    const { held, past } = life
    const after = (path: string, value: string): Held => withValue(held, path, this.prints.get(value)!)
    switch (step.kind) {
      case "set":
        assert.isTrue((yield* session.evaluate({ code: subject.set(step.path, step.value) })).ok)
        return [goneOn(life, after(step.path, step.value))]
      case "append":
      case "amend": {
        const items = held.values.get(step.path)!.split(" ")
        const append = step.kind === "append"
        const { ok } = yield* session.evaluate({ code: append ? `${step.path},:${step.number}` : `${step.path}[0]:${step.number}` })
        assert.isTrue(ok)
        return [goneOn(life, withValue(held, step.path, (append ? [...items, step.number] : [step.number, ...items.slice(1)]).join(" ")))]
      }
      case "note":
        assert.isTrue((yield* session.evaluate({ code: `${step.path}..c:"${step.value}"` })).ok)
        return [goneOn(life, withNote(held, step.path, `"${step.value}"`))]
      case "precision":
        yield* session.evaluate({ code: `\\p ${step.number}` })
        return [goneOn(life, { ...held, precision: step.number })]
      case "fail": {
        const code = `${subject.set(step.path, step.value)}\n${subject.error}`
        assert.isFalse((yield* session.evaluate({ code, rollback: step.rollback })).ok)
        return [step.rollback ? sure(life) : goneOn(life, after(step.path, step.value))]
      }
      case "late": {
        const code = `${subject.set(step.path, step.value)}\n${subject.loop}`
        const timeoutMs = subject.engine === "embedded" ? 60 : 250
        const error = yield* Effect.flip(session.evaluate({ code, rollback: step.rollback, timeoutMs }))
        // The evaluation may have waited for a launch until its deadline.
        if (error._tag === "DeadlineExceeded" && error.waiting) return [life]
        if (subject.engine === "embedded") return [step.rollback ? life : goneOn(life, after(step.path, step.value))]
        return step.rollback ? [sure(life)] : [held, ...past].map((each) => sure(life, each))
      }
      case "kill": {
        assert.isTrue((yield* session.evaluate({ code: subject.set(step.path, step.value) })).ok)
        const now = after(step.path, step.value)
        if (step.captured) yield* captured(session)
        yield* Effect.flip(session.evaluate({ code: subject.exit }))
        return step.captured ? [sure(life, now)] : [now, held, ...past].map((each) => sure(life, each))
      }
      case "reload": {
        const { variables } = yield* session.reload({ preserveState: true })
        assert.deepInclude(variables, { restored: held.values.size, lost: [] })
        return [sure(life)]
      }
      case "reset":
        yield* session.reset
        return [sure(life, nothing)]
      case "save":
        yield* session.snapshots.save(step.name)
        return [saved(life, step.name)]
      case "diff":
      case "rebase": {
        const then = life.snapshots.get(step.name)!
        const { differences, unsure } = yield* session.snapshots[step.kind](step.name)
        assert.deepStrictEqual(
          differences.map(({ path }) => path),
          differing(then, held),
        )
        assert.deepStrictEqual(unsure, [])
        return [step.kind === "diff" ? sure(life) : saved(life, step.name)]
      }
      case "restore": {
        const then = life.snapshots.get(step.name)!
        const { restored, removed, lost } = yield* session.snapshots.restore(step.name)
        assert.deepStrictEqual([...restored, ...removed].sort(), differing(then, held))
        assert.deepStrictEqual(lost, [])
        return [sure(life, then)]
      }
      case "delete": {
        yield* session.snapshots.remove(step.name)
        return [{ ...life, snapshots: new Map([...life.snapshots].filter(([name]) => name !== step.name)) }]
      }
      case "rename": {
        yield* session.snapshots.rename(step.name, step.to)
        const snapshots = [...life.snapshots].map(([name, each]) => [name === step.name ? step.to : name, each] as const)
        return [{ ...life, snapshots: new Map(snapshots) }]
      }
      case "fork": {
        const name = `fork${++this.generation}`
        const origin = step.from === undefined ? held : life.snapshots.get(step.from)!
        const { variables } = yield* this.sessions.fork({ from: session.name, snapshot: step.from, name })
        assert.strictEqual(variables?.restored ?? 0, origin.values.size)
        yield* this.sessions.close(session.name)
        this.session = yield* this.sessions.get(name)
        return [{ ...sure(life, origin), snapshots: new Map() }]
      }
    }
  })

  /** Reads the variables of the session. */
  readonly read = Effect.fnUntraced(function* (this: World): Effect.fn.Return<Held, unknown> {
    const { session, subject } = this
    const values: Map<string, string> = new Map()
    const notes: Map<string, string> = new Map()
    const look = (code: string) => Effect.map(session.evaluate({ code }), ({ output }) => output.trim())
    // This reply also reports lost variables, so that a reload does not.
    const precision = Number(yield* look("\\p"))
    for (const path of yield* this.names(".k")) values.set(path, yield* look(subject.tree ? path : path.slice(3)))
    if (!subject.tree) return { values, notes, precision }
    for (const path of yield* this.names(".other")) values.set(path, yield* look(path))
    for (const path of values.keys()) {
      const note = yield* look(`${path}..c`)
      if (note !== "") notes.set(path, note)
    }
    return { values, notes, precision }
  })

  /** The names below a path; a directory's in its place. */
  private readonly names = Effect.fnUntraced(function* (this: World, below: string): Effect.fn.Return<readonly string[], unknown> {
    const { entries, value } = yield* this.session.inspect(below)
    if (value !== undefined) return []
    const paths: string[] = []
    for (const { name } of entries) {
      const path = `${below}.${name}`
      const inner = this.subject.tree && path === ".k.sub" ? yield* this.names(path) : []
      paths.push(...(inner.length === 0 ? [path] : inner))
    }
    return paths
  })
}

const shown = ({ values, notes, precision }: Held): string => JSON.stringify([[...values], [...notes], precision])

describe.each(subjects)("a session of $name", (subject) => {
  it.live(
    "S22 S24 S26 B1 B2 B3 B6 has the expected variables after any actions",
    () =>
      Effect.promise(() => {
        const settings = { engine: subject.engine, restartFirstDelay: 1, restartMaxDelay: 1, restartCrashes: 1000 } as const
        const command = fc.commands(
          steps(subject).map((arbitrary) => arbitrary.map((step) => new Command(step))),
          { maxCommands: 30, size: "max" },
        )
        return fc.assert(
          fc.asyncProperty(command, (commands) =>
            Effect.gen(function* () {
              const sessions = yield* Sessions
              const session = yield* sessions.get("main")
              const world = new World(subject, sessions, session, yield* printsOf(subject, yield* sessions.get("scratch")))
              yield* Effect.promise(() => fc.asyncModelRun(() => ({ model: { life: born }, real: world }), commands))
            }).pipe(Effect.provide(subject.layer(settings)), Effect.runPromise),
          ),
          { numRuns: lives, endOnFailure: process.env["K3_LIVES"] === undefined },
        )
      }),
    600_000,
  )
})

const printsOf = Effect.fnUntraced(function* ({ values, tree, engine, set: assign }: Subject, scratch: Session) {
  const prints: Map<string, string> = new Map()
  for (const value of values)
    if (!tree && engine === "k3csharp" && assign !== set) prints.set(value, value)
    else {
      yield* scratch.evaluate({ code: `v:${value}` })
      prints.set(value, (yield* scratch.evaluate({ code: ".k.v" })).output.trim())
    }
  return prints
})

class Command implements fc.AsyncCommand<{ life: Life }, World> {
  constructor(private readonly step: Step) {}
  check({ life }: { readonly life: Life }): boolean {
    return applies(life, this.step)
  }
  async run(model: { life: Life }, world: World): Promise<void> {
    const { life } = model
    await Effect.runPromise(
      Effect.gen({ self: this }, function* () {
        const candidates = yield* world.take(life, this.step)
        const found = yield* world.read()
        const held = candidates.find((candidate) => equals(found, candidate.held))
        assert.isDefined(held, `after ${this.toString()} of ${shown(life.held)} it holds ${shown(found)}`)
        model.life = held
      }),
    )
  }
  toString(): string {
    return JSON.stringify(this.step)
  }
}

/**
 * The operating system's confinement of children.
 *
 * Guarantees: the fence is tried before the first launch, with the real arguments. If the trial succeeds, every child of both engines is
 * launched behind the fence; if it fails, `required` refuses every launch. While the system lacks what the trial needs, nothing is launched, and each
 * launch tries again. A root that has become a link since then is refused. A launched child
 * is checked before its first evaluation: it must see the folders that the plan names. Does not: write command lines (`fence/`), or run them
 * (`platform/`).
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { atEnd } from "../atEnd.ts"
import { closedPaths, Settings } from "../Settings.ts"
import { FenceMissing } from "./ChildError.ts"
import { bubblewrap } from "./fence/bubblewrap.ts"
import { type FencePlan, type FenceTools, foldersAround, isWithin, topIn } from "./fence/FencePlan.ts"
import { misplaced } from "./fence/mounts.ts"
import { sandboxExec } from "./fence/sandboxExec.ts"
import { isPassing, noFenceOn, refusalOf, type Trial, untried } from "./fence/refusals.ts"
import { Machine, programFolder } from "./Machine.ts"
import type { ProcessSpec } from "./Process.ts"

export type FenceState =
  | { readonly _tag: "Fenced"; readonly by: FenceTools["by"] }
  /** The settings turn the fence off. */
  | { readonly _tag: "Off" }
  /** `why`: a sentence about the cause, and a sentence about the remedy. */
  | { readonly _tag: "None"; readonly why: string }

/** The port to the operating system for fences. */
export class FenceSystem extends Context.Service<
  FenceSystem,
  {
    readonly platform: string
    readonly homeFolder: string
    /**
     * Programs and folders for making a fence; undefined on a system without fences. A program in a root is not used, since K may have written it.
     */
    readonly tools: (roots: readonly string[]) => Effect.Effect<FenceTools | undefined>
    /** Tries a fence with these arguments on a program that does nothing. Undefined for success. */
    readonly attempt: (tools: FenceTools, args: readonly string[]) => Effect.Effect<Trial | undefined>
    /**
     * The file or folder at a path, with all links resolved; undefined for nothing. Synchronous: a launch asks a dozen times, and would wait for a
     * thread each time.
     */
    readonly find: (path: string) => { readonly path: string; readonly isFolder: boolean } | undefined
    /** The mounts of a process, in the form of `/proc/PID/mountinfo`; empty when the system does not tell. */
    readonly mountsOf: (pid: number | "self") => string
    /** The places in a root to make read-only, searched to a limited depth. `builds`: include the sources of .NET builds. */
    readonly readOnlyIn: (root: string, builds: boolean) => Effect.Effect<readonly string[]>
    /** Called when K code begins to run. `makesFolders`: whether the engine can make folders. */
    readonly began: (makesFolders: boolean) => void
    /** Called when the K code of this child process has ended. */
    readonly ended: (pid: number) => void
    /** Takes the sentences about protected places that appeared in the roots. */
    readonly takeAppeared: () => readonly string[]
    /** Folders in which the server and its user look for programs, and files that name programs. */
    readonly programPlaces: readonly string[]
  }
>()("k3-mcp/child/FenceSystem") {}

const TEMPORARY_BYTES = 256 * 1024 ** 2
const PROCESSES = 256
/**
 * Address space of a runtime beyond its values, most of it never used: with its threads Node 20 and 22 begin with 600 MB of writable address
 * space, Node 24 and 26 with more than 1.5 GiB.
 */
const RUNTIME_BYTES = 1.75 * 1024 ** 3

/** The system lacked what the trial of the fence needs. */
interface Untried {
  readonly _tag: "Untried"
  readonly why: string
}

interface Ready {
  readonly _tag: "Ready"
  readonly tools: FenceTools
  /** Real paths; an outer folder comes before its inner ones. */
  readonly roots: readonly string[]
}

export interface Fenced {
  readonly spec: ProcessSpec
  /** Called with the child's process id before its first evaluation. Fails when the child sees another folder than the plan names. */
  readonly check: (pid: number) => Effect.Effect<void, FenceMissing>
}

/** The properties of a child that the fence needs. */
interface Running {
  readonly engine: { readonly kind: string }
  readonly child: { readonly pid: number }
}

const required =
  "The server does not try again: start it anew when that is put right. With K3_FENCE=auto it runs without a fence where there is none."

const unchecked = (spec: ProcessSpec): Fenced => ({ spec, check: () => Effect.void })

export class Fence extends Context.Service<
  Fence,
  {
    readonly state: Effect.Effect<FenceState>
    /** Puts the fence around a process. Without a working fence, the process is unchanged. */
    readonly around: (spec: ProcessSpec) => Effect.Effect<Fenced, FenceMissing>
    /** Runs work that evaluates K code on a child. Protected places that appear in a root meanwhile may have been made by K. */
    readonly during: <A, E, R>(child: Running, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Takes the sentences for the next reply: about places that appeared in a root and, for a session's first reply, about a missing fence. */
    readonly take: (engine: string, isFirst: boolean) => readonly string[]
  }
>()("k3-mcp/child/Fence") {
  static readonly layer = Layer.effect(
    Fence,
    Effect.suspend(() => make),
  )
}

const make = Effect.gen(function* () {
  const settings = yield* Settings
  const system = yield* FenceSystem
  const machine = yield* Machine
  const real = (path: string): string => system.find(path)?.path ?? path
  const realRoots = (): readonly string[] => [...new Set(settings.roots.map(real))].toSorted((a, b) => a.length - b.length)

  const plan = Effect.fnUntraced(function* (roots: readonly string[], cwd: string, reads: readonly string[]) {
    const within = (path: string): boolean => roots.some((root) => isWithin(path, root))
    const buildFolder = real(settings.buildDir)
    const programs = [...system.programPlaces, programFolder(machine), buildFolder]
    const inRoots = programs.flatMap((folder) => system.find(folder)?.path ?? []).filter((path) => within(path) && !roots.includes(path))
    const own = [...closedPaths(settings), `${machine.temporaryFolder}/k3-mcp-${machine.user}`].flatMap((path) => system.find(path) ?? [])
    // The server's own files and folders in a root.
    const hidden = own.filter(({ path }) => within(path))
    const fixed = [...inRoots, ...hidden.map(({ path }) => path)].flatMap((path) => roots.flatMap((root) => foldersAround(path, root)))
    const found = yield* Effect.forEach(roots, (root) => system.readOnlyIn(root, system.find(topIn(root, buildFolder)) !== undefined))
    return {
      program: reads.map(real),
      roots,
      fixed: [...new Set(fixed)].filter((path) => !roots.includes(path)).toSorted((a, b) => a.length - b.length),
      readOnly: [...new Set([...found.flat(), ...inRoots])],
      hiddenFolders: hidden.flatMap(({ path, isFolder }) => (isFolder ? [path] : [])),
      hiddenFiles: hidden.flatMap(({ path, isFolder }) => (isFolder ? [] : [path])),
      temporaryBytes: TEMPORARY_BYTES,
      memoryBytes: Math.ceil(settings.childMemory * 1.5) + RUNTIME_BYTES,
      processes: PROCESSES,
      cwd: real(cwd),
    } satisfies FencePlan
  })

  /** The first root that is, or contains, a whole home folder. A fence with such a root would protect nothing. */
  const tooWide = (roots: readonly string[]): string | undefined => {
    const home = real(system.homeFolder)
    return roots.find((root) => isWithin(home, root) || /^\/(?:root|(?:home|Users)(?:\/[^/]+)?)$/.test(root))
  }

  /** Why there is no fence, once that is known. */
  let missing: string | undefined
  const none = (why: string): FenceState => {
    missing = why
    return { _tag: "None", why }
  }
  const tried = Effect.gen(function* (): Effect.fn.Return<Ready | FenceState | Untried> {
    if (settings.fence === "off") return { _tag: "Off" }
    const roots = realRoots()
    const tools = yield* system.tools(roots)
    if (tools === undefined) return none(noFenceOn(system.platform))
    const root = tooWide(roots)
    if (root !== undefined)
      return none(`K3_ROOTS holds ${root}, a whole home folder or more, so a fence would keep nothing out. Name a narrower folder.`)
    if (tools.by === "sandbox-exec") return { _tag: "Ready", tools, roots }
    const made = yield* plan(roots, settings.cwd, tools.runtimes)
    const trial = yield* system.attempt(tools, bubblewrap(made, tools))
    if (trial === undefined) return { _tag: "Ready", tools, roots }
    return isPassing(trial) ? { _tag: "Untried", why: untried(trial) } : none(refusalOf(trial))
  })
  /** The result of the trial, which is made on first use, and again while it tells nothing. Launches at the same time share a trial. */
  const known = yield* Effect.cachedWithTTL(tried, (exit) =>
    Exit.isSuccess(exit) && exit.value._tag !== "Untried" ? Number.POSITIVE_INFINITY : 0,
  )

  const check = (made: FencePlan, tools: FenceTools) =>
    Effect.fnUntraced(function* (pid: number) {
      const [inside, outside] = [system.mountsOf(pid), system.mountsOf("self")]
      // When only the process id of bubblewrap itself is known, both are equal: bubblewrap sees the server's mounts.
      const place = inside === outside ? undefined : misplaced(inside, outside, made, tools)
      if (place !== undefined)
        return yield* new FenceMissing({ why: `${place} was moved, or a link put in its place, while a child was launched. Call again.` })
    })

  const around = Effect.fnUntraced(function* (spec: ProcessSpec) {
    const ready = yield* known
    if (ready._tag !== "Ready") {
      if (ready._tag === "Untried") return yield* new FenceMissing({ why: `${ready.why} Call again. K3_FENCE=off does without a fence.` })
      if (ready._tag === "None" && settings.fence === "required")
        return yield* new FenceMissing({ why: `K3_FENCE is required, and ${ready.why}\n${required}` })
      return unchecked(spec)
    }
    const { tools, roots } = ready
    // K code may have replaced a root inside another root by a link.
    const moved = realRoots().find((root) => !roots.includes(root))
    if (moved !== undefined)
      return yield* new FenceMissing({ why: `a folder of K3_ROOTS now leads to ${moved}. Put the folder back, or start the server anew.` })
    const made = yield* plan(roots, spec.cwd, [...tools.runtimes, ...(spec.reads ?? [])])
    const env = { ...spec.env, TMPDIR: "/tmp", TMP: "/tmp", TEMP: "/tmp" }
    const { by, program, filter } = tools
    if (by === "sandbox-exec") return unchecked({ ...spec, env, fence: { by, program, args: sandboxExec(made) } })
    const fenced = { ...spec, cwd: "/", env, fence: { by, program, filter, args: bubblewrap(made, tools) } }
    return { spec: fenced, check: check(made, tools) }
  })

  const state = Effect.map(known, (ready): FenceState => {
    if (ready._tag === "Ready") return { _tag: "Fenced", by: ready.tools.by }
    return ready._tag === "Untried" ? { _tag: "None", why: `${ready.why} The next launch tries again.` } : ready
  })
  return Fence.of({
    state,
    around,
    during: ({ engine, child }, work) =>
      Effect.suspend(() => {
        system.began(engine.kind === "k3csharp" || settings.shell === "allow")
        return atEnd(work, () => system.ended(child.pid))
      }),
    take: (engine, isFirst) => {
      const appeared = system.takeAppeared()
      if (!isFirst || engine !== "k3csharp" || missing === undefined) return appeared
      return [...appeared, `K3CSharp runs without a fence, and reaches all that the server's user can: ${missing}`]
    },
  })
})

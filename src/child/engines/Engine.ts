/**
 * The kinds of interpreter that can be launched, and what sets them apart. A session knows engines only through this.
 *
 * `Engines.pick` decides by the setting and by what is on disk at that moment; a session keeps its engine until it is reloaded or
 * replaced by a reset.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type { Reply, Spill } from "../../repl/frame.ts"
import type { Statement } from "../../repl/statements.ts"
import { Settings } from "../../Settings.ts"
import { Artifacts } from "../builds/Artifact.ts"
import type { Build } from "../builds/buildFiles.ts"
import type { Child, ChildEnded } from "../Child.ts"
import { embedded } from "./embedded.ts"
import { buildSource, k3csharp } from "./k3csharp.ts"
import { Machine } from "../Machine.ts"
import type { View } from "./view.ts"
import type { ProcessSpec } from "../Process.ts"
import type { Tracker } from "./Tracker.ts"
import type { Inspection, KFailure } from "../../session/Session.ts"
import type { BuildNotFound, BuildUnusable, Refused } from "../../session/SessionError.ts"

/** A reply as text. */
export interface ReplyText {
  readonly text: string
  /** The embedded engine's error report, JSON. */
  readonly report: string | undefined
}

/** What an engine made of a reply. */
export interface Reading {
  readonly output: string
  readonly failure?: KFailure
  /** Nothing was printed where K would have complained. */
  readonly silent: boolean
}

/** What is wanted of a statement beside what it prints. */
export interface Wanted {
  /** Bytes of the longest image (`_bd`) of its value that is told. */
  readonly image: number
  /** Bytes it may hold beyond what is held when it begins; only an engine with `limitsMemory` keeps to it. */
  readonly memory?: number | undefined
}

/** A reply, and the image of the value; absent when it is too long, and when there is no value. */
export interface Valued {
  readonly reply: Reply
  readonly image?: Uint8Array | undefined
}

/** All that is needed to launch a child, and what it will be running. */
export interface Prepared {
  readonly process: ProcessSpec
  readonly build: Build | null
  readonly shadow: string | null
}

/** What was seen below a path, without when. */
export type Sight = Pick<Inspection, "path" | "entries" | "value" | "omitted" | "next" | "problem">

export interface Engine {
  readonly kind: "k3csharp" | "embedded"
  /** Why this one, in words. */
  readonly why: string
  /** Can stop an evaluation and keep its state. */
  readonly interruptible: boolean
  readonly reports: boolean
  readonly newline: "keep" | "join"
  readonly warm: string | null
  readonly buildFolder: string | null
  /** A shadow copy where the engine needs one. */
  readonly prepare: Effect.Effect<Prepared, BuildNotFound | BuildUnusable>
  readonly onDisk: Effect.Effect<Build | null>
  /** Asks a statement as `ask` does, and for its value. */
  readonly value: (child: Child, statement: Statement, wanted: Wanted, spill: Spill | undefined) => Effect.Effect<Valued, ChildEnded>
  /** Why a statement may not reach the child. */
  readonly refusal: (statement: Statement) => Refused | undefined
  /** A command as the child needs it; null for an engine that finds scripts in the roots itself. */
  readonly locate: ((command: Statement) => Effect.Effect<Statement>) | null
  readonly read: (statement: Statement, reply: ReplyText) => Reading
  /** Was the end of a child one for want of memory? */
  readonly outOfMemory: (stderr: string) => boolean
  /** Empties the workspace, false when it is not clean afterwards; null when only a new child is sure to be clean. */
  readonly clear: ((child: Child) => Effect.Effect<boolean, ChildEnded>) | null
  /** Makes a child as new; false where that is not sure. `ran`: all that it ran since it was new, undefined when something of it failed. */
  readonly renew: (child: Child, ran: readonly string[] | undefined) => Effect.Effect<boolean, ChildEnded>
  /** Keeps the state of a child; `written` is the session's memory of functions as they were written. */
  readonly track: (child: Child, written: Map<string, string | undefined>) => Tracker
  readonly inspect: (child: Child, path: string, view: View) => Effect.Effect<Sight, ChildEnded>
}

export class Engines extends Context.Service<
  Engines,
  {
    /** By the setting and what is on disk now. */
    readonly pick: Effect.Effect<Engine>
    readonly named: (kind: Engine["kind"], why: string) => Engine
  }
>()("k3-mcp/session/Engines") {
  static readonly layer = Layer.effect(
    Engines,
    Effect.gen(function* () {
      const settings = yield* Settings
      const artifacts = yield* Artifacts
      const machine = yield* Machine
      const parts = { settings, artifacts, machine, fs: yield* FileSystem.FileSystem }

      const named = (kind: Engine["kind"], why: string): Engine =>
        kind === "embedded" ? embedded({ ...parts, why }) : k3csharp({ ...parts, why })

      const pick: Effect.Effect<Engine> = Effect.gen(function* () {
        if (settings.engine !== "auto") return named(settings.engine, `engine is set to ${settings.engine}`)
        const build = yield* artifacts.onDisk(buildSource(settings))
        return build === null
          ? named("embedded", `no K3CSharp build in ${settings.buildDir}`)
          : named("k3csharp", `a K3CSharp build is in ${settings.buildDir}`)
      })
      return Engines.of({ pick, named })
    }),
  )
}

/** What the engines are made with. */
export interface Parts {
  readonly settings: Settings["Service"]
  readonly artifacts: Artifacts["Service"]
  readonly machine: Machine["Service"]
  readonly fs: FileSystem.FileSystem
  readonly why: string
}

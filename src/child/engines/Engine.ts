/**
 * The differences between the kinds of interpreter. A session knows engines only through this; `Engines.ts` says which one answers.
 */
import type * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Scope from "effect/Scope"
import type { Reply, Spill } from "../../repl/frame.ts"
import type { Statement } from "../../k3/text/statements.ts"
import type { Settings } from "../../Settings.ts"
import type { Artifacts } from "../builds/Artifact.ts"
import type { Build } from "../builds/buildFiles.ts"
import type { Child, ChildEnded } from "../Child.ts"
import type { BuildNotFound, BuildUnusable, Refused } from "../ChildError.ts"
import type { Machine } from "../Machine.ts"
import type { ProcessSpec } from "../Process.ts"
import type { Written } from "./k3csharpWritten.ts"
import type { Sight } from "./Sight.ts"
import type { Tracker } from "./Tracker.ts"
import type { View } from "./view.ts"

/** A reply as text. */
export interface ReplyText {
  readonly text: string
  /** The embedded engine's error report, JSON. */
  readonly report: string | undefined
}

/** An error of K. */
export interface KFailure {
  /** K's own name where known (`type`, `length`, `value`, …), else `error`. */
  readonly name: string
  /** The engine's own text, whole. */
  readonly text: string
  /** In the code as the caller sent it, from 1; absent when the engine does not say. */
  readonly line?: number
  readonly column?: number
  readonly source?: string
  readonly caret?: string
  /** The verb or name that failed, as written. */
  readonly at?: string
  /** How many arguments that verb was given, where it is known. */
  readonly valence?: number | undefined
}

/** What an engine made of a reply. */
export interface Reading {
  readonly output: string
  readonly failure?: KFailure
  /** Nothing was printed where K would have complained. */
  readonly silent: boolean
}

/** What the statements of one evaluation may take together; only an engine with `limits` keeps to it. */
export interface Limited {
  /** Items and calls. */
  readonly steps?: number | undefined
  /** Bytes that may be held beyond what is held when the evaluation begins. */
  readonly memory?: number | undefined
}

/** What is wanted of a statement beside what it prints. */
export interface Wanted {
  /** Bytes of the longest image (`_bd`) of its value that is told; 0 for none. */
  readonly image: number
  /** The value is not printed. */
  readonly quiet?: boolean | undefined
  /** `begins`: it is the first one of the evaluation. */
  readonly allowance?: (Limited & { readonly begins: boolean }) | undefined
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
  /** What it runs from stays for as long as the scope. */
  readonly hold: Effect.Effect<void, never, Scope.Scope>
}

export interface Engine {
  readonly kind: "k3csharp" | "embedded"
  /** Why this one, in words. */
  readonly why: string
  /** Another one was asked for, and is not there: a sentence. */
  readonly missing?: string | undefined
  /** Can stop an evaluation and keep its state. */
  readonly interruptible: boolean
  readonly reports: boolean
  /** Keeps to the steps and the memory that one evaluation may take. */
  readonly limits: boolean
  readonly newline: "keep" | "join"
  /** A function whose last statement is empty returns nil; K3CSharp does so only for one without a name. */
  readonly emptyIsNil: boolean
  readonly warm: string | null
  readonly buildFolder: string | null
  /** A shadow copy where the engine needs one. */
  readonly prepare: Effect.Effect<Prepared, BuildNotFound | BuildUnusable>
  readonly onDisk: Effect.Effect<Build | null>
  /** The version that a build says it is, the one on disk without an argument; null when it does not say. */
  readonly version: (running?: Prepared) => Effect.Effect<string | null>
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
  /** From now on K writes no file and runs no command in that child; null for an engine that cannot be kept from it. */
  readonly seal: ((child: Child) => Effect.Effect<void, ChildEnded>) | null
  /** Keeps the state of a child; `written` is the session's memory of functions as they were written. */
  readonly track: (child: Child, written: Written) => Tracker
  readonly inspect: (child: Child, path: string, view: View) => Effect.Effect<Sight, ChildEnded>
}

/** What the engines are made with. */
export interface Parts {
  readonly settings: Settings["Service"]
  readonly artifacts: Artifacts["Service"]
  readonly machine: Machine["Service"]
  readonly fs: FileSystem.FileSystem
  readonly why: string
}

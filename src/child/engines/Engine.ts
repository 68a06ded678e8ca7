/** The interface of an engine: all differences between the kinds of interpreter. Sessions use engines only through it; `Engines.ts` chooses one. */
import type * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Scope from "effect/Scope"
import type { EngineKind } from "../../engineKinds.ts"
import type { ChildReply, Spill } from "../../repl/frame.ts"
import type { Statement } from "../../k3/text/statements.ts"
import type { Settings } from "../../Settings.ts"
import type { Artifacts } from "../builds/Artifact.ts"
import type { Build } from "../builds/buildFiles.ts"
import type { Child, ChildEnded } from "../Child.ts"
import type { BuildNotFound, BuildUnusable, Refused } from "../ChildError.ts"
import type { Machine } from "../Machine.ts"
import type { ProcessSpec } from "../Process.ts"
import type { WrittenForms } from "./k3csharpWritten.ts"
import type { Listing, View } from "./Listing.ts"
import type { Tracker } from "./Tracker.ts"

/** A reply as text. */
interface ReplyText {
  readonly text: string
  /** The error report of the embedded engine, as JSON. */
  readonly report: string | undefined
}

/** An error of K. */
export interface KFailure {
  /** K's own name where known (`type`, `length`, `value`, …), else `error`. */
  readonly name: string
  /** The engine's whole message. */
  readonly text: string
  /** Line and column in the caller's code, from 1; absent when the engine does not tell. */
  readonly line?: number
  readonly column?: number
  readonly source?: string
  readonly caret?: string
  /** The verb or name that failed, as in the code. */
  readonly at?: string
  /** Number of arguments of that verb, where known. */
  readonly valence?: number | undefined
}

/** A reply, separated into output and error. */
export interface EngineReply {
  readonly output: string
  readonly failure?: KFailure
  /** The engine printed nothing for a statement that looks like a syntax error. */
  readonly silent: boolean
}

/** Limits for all statements of one evaluation together. Only engines with `limits` keep them. */
export interface EvaluationLimits {
  /** Items processed and calls made. */
  readonly steps?: number | undefined
  /** Bytes of values beyond those at the beginning of the evaluation. */
  readonly memory?: number | undefined
}

/** Options of a statement whose value is requested. */
interface Wanted {
  /** Bytes that the image (`_bd`) of the value may have; 0 requests none. */
  readonly image: number
  /** The value is not printed. */
  readonly quiet?: boolean | undefined
  /** `begins`: the statement is the first of the evaluation, and starts the count of the limits. */
  readonly allowance?: (EvaluationLimits & { readonly begins: boolean }) | undefined
}

/** A reply, and the image of the value. The image is absent when it is too long, or there is no value. */
interface Valued {
  readonly reply: ChildReply
  readonly image?: Uint8Array | undefined
}

/** The command and the build for launching a child. */
export interface Prepared {
  readonly process: ProcessSpec
  readonly build: Build | null
  readonly shadow: string | null
  /** Keeps the files of the build until the scope closes. */
  readonly hold: Effect.Effect<void, never, Scope.Scope>
}

export interface Engine {
  readonly kind: EngineKind
  /** The reason for the choice of this engine, in words. */
  readonly why: string
  /** Set when the requested engine has no build: a sentence that says so. */
  readonly missing?: string | undefined
  /** An evaluation can be interrupted, and the variables are kept. */
  readonly interruptible: boolean
  /** Byte 15 in a reply begins an error report. */
  readonly reports: boolean
  /** The engine keeps `EvaluationLimits`. */
  readonly limits: boolean
  /** Newlines within a statement are sent, or replaced to make one line. */
  readonly newline: "keep" | "join"
  /** A function whose last statement is empty returns nil. On K3CSharp only functions without a name do. */
  readonly emptyIsNil: boolean
  readonly warm: string | null
  readonly buildFolder: string | null
  /** Prepares the files of a launch: makes a shadow copy if the engine needs one. */
  readonly prepare: Effect.Effect<Prepared, BuildNotFound | BuildUnusable>
  readonly onDisk: Effect.Effect<Build | null>
  /** The version of the running build, or of the build on disk when none is given; null when the build does not tell. */
  readonly version: (running?: Prepared) => Effect.Effect<string | null>
  /** Evaluates a statement, and reads its value. */
  readonly value: (child: Child, statement: Statement, wanted: Wanted, spill: Spill | undefined) => Effect.Effect<Valued, ChildEnded>
  /** The refusal of a statement that must not reach the child; undefined for others. */
  readonly refusal: (statement: Statement) => Refused | undefined
  /** Replaces the name of a script in a command by its path. Null for an engine that finds scripts in the roots itself. */
  readonly locate: ((command: Statement) => Effect.Effect<Statement>) | null
  readonly read: (statement: Statement, reply: ReplyText) => EngineReply
  /** Whether a child with this standard error ended for lack of memory. */
  readonly outOfMemory: (stderr: string) => boolean
  /** Empties the workspace. False when it is not clean afterwards. Null when only a new child is certain to be clean. */
  readonly clear: ((child: Child) => Effect.Effect<boolean, ChildEnded>) | null
  /** Returns a child to the state of a new one; false when that is not certain. `ran`: the code since it was new, undefined after an error. */
  readonly renew: (child: Child, ran: readonly string[] | undefined) => Effect.Effect<boolean, ChildEnded>
  /** Forbids a child to write files and run commands from now on. Null for an engine without this. */
  readonly seal: ((child: Child) => Effect.Effect<void, ChildEnded>) | null
  /** Makes the tracker of a child. `written`: the session's original texts of functions. */
  readonly track: (child: Child, written: WrittenForms) => Tracker
  /** `written`: as for `track`; without it, the facts of a function may be from its printed form. */
  readonly inspect: (child: Child, path: string, view: View, written?: WrittenForms) => Effect.Effect<Listing, ChildEnded>
}

/** The services and settings that engines are made with. */
export interface EngineParts {
  readonly settings: Settings["Service"]
  readonly artifacts: Artifacts["Service"]
  readonly machine: Machine["Service"]
  readonly fs: FileSystem.FileSystem
  readonly why: string
}

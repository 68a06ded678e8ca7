/**
 * The errors of launching a child, and of code that is refused before it reaches one. They carry data; `mcp/render/sessionFailure.ts` makes the
 * prose.
 */
import * as Schema from "effect/Schema"

/** A child could not be launched or did not get ready in time. */
export class LaunchFailed extends Schema.TaggedError<LaunchFailed>()("LaunchFailed", {
  engine: Schema.String,
  command: Schema.String,
  /** `answer`: the child did not answer `1+1` with 2. */
  reason: Schema.Literals(["spawn", "exit", "timeout", "answer"]),
  answer: Schema.optionalKey(Schema.String),
  exitCode: Schema.NullOr(Schema.Finite),
  signal: Schema.NullOr(Schema.String),
  stderr: Schema.String,
  timeoutMs: Schema.Finite,
}) {}

/** The engine `k3csharp` was requested, and the folder has no build. */
export class BuildNotFound extends Schema.TaggedError<BuildNotFound>()("BuildNotFound", {
  folder: Schema.String,
  /** The missing thing: the folder, the dll, … */
  missing: Schema.String,
}) {}

/** A build kept changing while it was copied, or could not be copied. */
export class BuildUnusable extends Schema.TaggedError<BuildUnusable>()("BuildUnusable", {
  folder: Schema.String,
  reason: Schema.String,
}) {}

/**
 * The setting `fence` is `required` and no fence works, the system lacks what the trial of the fence needs, or a folder of a root was exchanged while
 * the child was launched. `why`: the reason, and what to do.
 */
export class FenceMissing extends Schema.TaggedError<FenceMissing>()("FenceMissing", { why: Schema.String }) {}

/** Code was refused before it reached the child, such as a shell command that the settings deny. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  statement: Schema.String,
  reason: Schema.Literals(["shell", "size", "exit", "limits", "args", "dry-run"]),
  detail: Schema.String,
}) {}

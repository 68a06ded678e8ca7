/** What can go wrong with launching a child, and with code before it reaches one. They carry data; `mcp/render/sessionFailure.ts` makes the prose. */
import * as Schema from "effect/Schema"

/** A child could not be launched or did not get ready in time. */
export class LaunchFailed extends Schema.TaggedError<LaunchFailed>()("LaunchFailed", {
  engine: Schema.String,
  command: Schema.String,
  /** `answer`: it did not answer `1+1` with 2. */
  reason: Schema.Literals(["spawn", "exit", "timeout", "answer"]),
  answer: Schema.optionalKey(Schema.String),
  exitCode: Schema.NullOr(Schema.Finite),
  signal: Schema.NullOr(Schema.String),
  stderr: Schema.String,
  timeoutMs: Schema.Finite,
}) {}

/** `engine: k3csharp` was asked for and no build is there. */
export class BuildNotFound extends Schema.TaggedError<BuildNotFound>()("BuildNotFound", {
  folder: Schema.String,
  /** What was missing: the folder, the dll, … */
  missing: Schema.String,
}) {}

/** A build kept changing while it was copied, or could not be copied. */
export class BuildUnusable extends Schema.TaggedError<BuildUnusable>()("BuildUnusable", {
  folder: Schema.String,
  reason: Schema.String,
}) {}

/** `fence` is `required`, and there is none; or a place in a root was swapped while its child was launched. */
export class FenceMissing extends Schema.TaggedError<FenceMissing>()("FenceMissing", { why: Schema.String }) {}

/** Code that is refused before it reaches the child: a shell command while the policy denies it, … */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  statement: Schema.String,
  reason: Schema.Literals(["shell", "size", "exit", "limits", "args", "dry-run"]),
  detail: Schema.String,
}) {}

/**
 * The port to files that the server itself reads and writes because a call names them: inside the root folders of the settings and nowhere else, whichever engine answers.
 * A path is relative to the working folder. Node's side is `platform/NodeRootFiles.ts`.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A file that a call named is not read or written. */
export class FileRefused extends Schema.TaggedError<FileRefused>()("FileRefused", {
  file: Schema.String,
  reason: Schema.Literals(["outside", "system", "large", "read-only"]),
  /** In words. */
  detail: Schema.String,
  roots: Schema.Array(Schema.String),
}) {}

export class RootFiles extends Context.Service<
  RootFiles,
  {
    /** Gives its absolute path. The folder must be there; a file that is there is replaced. */
    readonly write: (file: string, text: string) => Effect.Effect<string, FileRefused>
    /** Its text, of at most so many bytes. */
    readonly read: (file: string, most: number) => Effect.Effect<string, FileRefused>
    /** Its beginning of at most so many bytes. */
    readonly head: (file: string, most: number) => Effect.Effect<{ readonly text: string; readonly isWhole: boolean }, FileRefused>
    /** The K scripts that there are; `name` is what `\\l` finds one by. */
    readonly scripts: Effect.Effect<{
      readonly files: readonly { readonly name: string; readonly path: string }[]
      /** There may be more. */
      readonly isCut: boolean
    }>
  }
>()("k3-mcp/session/RootFiles") {}

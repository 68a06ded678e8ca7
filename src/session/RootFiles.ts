/**
 * The port to files that the server itself reads and writes for a call. Implemented in `platform/NodeRootFiles.ts`.
 *
 * Guarantees: only files inside the root folders of the settings are read or written, with either engine; none is written at a place that is
 * read-only behind the fence. A relative path begins at the working folder.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The server refuses to read or write a file that a call names. */
export class FileRefused extends Schema.TaggedError<FileRefused>()("FileRefused", {
  file: Schema.String,
  reason: Schema.Literals(["outside", "protected", "system", "large", "read-only"]),
  /** The reason in words; of `protected`, the name of the protected file or folder. */
  detail: Schema.String,
  roots: Schema.Array(Schema.String),
}) {}

export class RootFiles extends Context.Service<
  RootFiles,
  {
    /** Writes a file and gives its absolute path. The folder must exist; an existing file is replaced. */
    readonly write: (file: string, text: string) => Effect.Effect<string, FileRefused>
    /** The text of a file of at most `most` bytes; refuses a larger one. */
    readonly read: (file: string, most: number) => Effect.Effect<string, FileRefused>
    /** The first `most` bytes of a file as text. */
    readonly head: (file: string, most: number) => Effect.Effect<{ readonly text: string; readonly isWhole: boolean }, FileRefused>
    /** The K scripts in the roots. `\\l` finds a script by `name`. */
    readonly scripts: Effect.Effect<{
      readonly files: readonly { readonly name: string; readonly path: string }[]
      /** The search stopped at a limit, so there may be more scripts. */
      readonly isCut: boolean
    }>
  }
>()("k3-mcp/session/RootFiles") {}

/** `session/RootFiles` on the same fence that holds the embedded interpreter (`repl/fencedFiles.ts`), which says what it keeps out. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { resolve } from "node:path"
import { fence, Outside } from "../repl/fence.ts"
import { fencedFiles, systemText } from "../repl/fencedFiles.ts"
import { RootFiles } from "../session/RootFiles.ts"
import { FileRefused } from "../session/RootFiles.ts"
import { Settings } from "../Settings.ts"

export const layer: Layer.Layer<RootFiles, never, Settings> = Layer.effect(
  RootFiles,
  Effect.map(Settings, ({ cwd, roots }) => ({
    write: (file, text) =>
      Effect.try({
        try: () => {
          const path = resolve(cwd, file)
          // Roots are looked at now: one that was made or moved since counts as it is.
          fencedFiles(fence(roots)).write(path, text)
          return path
        },
        catch: (error) =>
          error instanceof Outside
            ? new FileRefused({ file, reason: "outside", detail: error.message, roots })
            : new FileRefused({ file, reason: "system", detail: systemText(error), roots }),
      }),
  })),
)

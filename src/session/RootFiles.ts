/**
 * Files that the server itself writes because a call names them: inside K3_ROOTS and nowhere else, whichever engine answers.
 *
 * Guarantees: a path is relative to the working folder and is looked at without symbolic links, a dangling one included, before anything
 * is opened. Does not: help against a link that another process puts there between the look and the use.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import { Settings } from "../Settings.ts"
import { FileRefused } from "./SessionError.ts"

export class RootFiles extends Context.Service<
  RootFiles,
  {
    /** Gives its absolute path. The folder must be there; a file that is there is replaced. */
    readonly write: (file: string, text: string) => Effect.Effect<string, FileRefused>
  }
>()("k3-mcp/session/RootFiles") {
  static readonly layer = Layer.effect(
    RootFiles,
    Effect.gen(function* () {
      const { cwd, roots } = yield* Settings
      const fs = yield* FileSystem.FileSystem
      const paths = yield* Path.Path

      const realPath = (path: string): Effect.Effect<string, PlatformError> =>
        Effect.catchIf(fs.realPath(path), isMissing, (missing) =>
          Effect.matchEffect(fs.readLink(path), {
            onSuccess: () => Effect.fail(missing),
            onFailure: () =>
              paths.dirname(path) === path
                ? Effect.fail(missing)
                : Effect.map(realPath(paths.dirname(path)), (folder) => paths.join(folder, paths.basename(path))),
          }),
        )

      const isBelow = (path: string) => (root: string) => {
        const way = paths.relative(root, path)
        return way !== ".." && !way.startsWith(`..${paths.sep}`) && !paths.isAbsolute(way)
      }

      const inside = Effect.fnUntraced(function* (file: string) {
        const outside = new FileRefused({ file, reason: "outside", detail: "", roots })
        if (file.includes("\0")) return yield* outside
        const real = yield* realPath(paths.resolve(cwd, file))
        const allowed = yield* Effect.forEach(roots, (root) => Effect.orElseSucceed(fs.realPath(root), () => root))
        return allowed.some(isBelow(real)) ? real : yield* outside
      })

      return RootFiles.of({
        write: (file, text) =>
          inside(file).pipe(
            Effect.tap((real) => fs.writeFileString(real, text)),
            Effect.catchTag("PlatformError", ({ reason }) => new FileRefused({ file, reason: "system", detail: reason._tag, roots })),
          ),
      })
    }),
  )
}

const isMissing = ({ reason }: PlatformError): boolean => reason._tag === "NotFound"

/** `session/RootFiles` on Node, over the fence of the embedded interpreter (`repl/fencedFiles.ts`), which has its guarantees and limits. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { fence, Outside } from "../repl/fence.ts"
import { type FencedFiles, fencedFiles, systemText } from "../repl/fencedFiles.ts"
import { type ScriptFiles, scriptFiles } from "../repl/scriptFiles.ts"
import { FileRefused, RootFiles } from "../session/RootFiles.ts"
import { closedPaths, Settings } from "../Settings.ts"

/** False for a text with lone surrogates: two different such names would become the same file name. */
const isText = (name: string): boolean => Buffer.from(name).toString() === name

const detailOf = (error: unknown, path: string): string => {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") return systemText(error)
  const folder = dirname(path)
  return existsSync(folder) ? `it was not found in ${folder}` : `there is no folder ${folder}`
}

export const layer: Layer.Layer<RootFiles, never, Settings> = Layer.effect(
  RootFiles,
  Effect.map(Settings, (settings) => {
    const { cwd, roots } = settings
    const refused = (file: string, error: unknown) => {
      if (error instanceof FileRefused) return error
      return error instanceof Outside
        ? new FileRefused({ file, reason: "outside", detail: error.message, roots })
        : new FileRefused({ file, reason: "system", detail: detailOf(error, resolve(cwd, file)), roots })
    }
    /** Resolves the roots at each call, since a root may be made or moved meanwhile. */
    const using = <A>(file: string, use: (files: FencedFiles, path: string) => A): Effect.Effect<A, FileRefused> =>
      Effect.try({
        try: () => {
          if (!isText(file)) throw new Outside("a file name that is no Unicode text")
          return use(fencedFiles(fence(roots, closedPaths(settings))), resolve(cwd, file))
        },
        catch: (error) => refused(file, error),
      })
    return {
      write: (file, text) =>
        using(file, (files, path) => {
          files.write(path, text)
          return path
        }),
      read: (file, most) =>
        using(file, (files, path) => {
          if (files.size(path) > most) throw new FileRefused({ file, reason: "large", detail: `it is larger than ${most} bytes`, roots })
          return Buffer.from(files.read(path, 0, most)).toString()
        }),
      head: (file, most) =>
        using(file, (files, path) => ({
          text: Buffer.from(files.read(path, 0, most)).toString(),
          isWhole: files.size(path) <= most,
        })),
      scripts: Effect.suspend(() => {
        const steps = scriptFiles([...new Set(roots.map((root) => resolve(cwd, root)))], fence(roots, closedPaths(settings)))
        const next: Effect.Effect<ScriptFiles> = Effect.suspend(() => {
          const { done, value } = steps.next()
          return done === true ? Effect.succeed(value) : Effect.andThen(Effect.yieldNow, next)
        })
        return next
      }),
    }
  }),
)

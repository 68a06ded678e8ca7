/**
 * `session/RootFiles` on Node, over the fence of the embedded interpreter (`repl/fencedFiles.ts`), which has its guarantees and limits. Guarantees:
 * a place that is read-only behind the fence is not written, with or without a fence.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync, realpathSync } from "node:fs"
import { dirname, relative, resolve, sep } from "node:path"
import { topIn } from "../child/fence/FencePlan.ts"
import { isProtected } from "../child/fence/protectedPaths.ts"
import { contains, fence, Outside } from "../repl/fence.ts"
import { type FencedFiles, fencedFiles, systemText } from "../repl/fencedFiles.ts"
import { type ScriptFiles, scriptFiles } from "../repl/scriptFiles.ts"
import { FileRefused, RootFiles } from "../session/RootFiles.ts"
import { closedPaths, Settings } from "../Settings.ts"
import { withFallback } from "../repl/withFallback.ts"

/** False for a text with lone surrogates: two different such names would become the same file name. */
const isText = (name: string): boolean => Buffer.from(name).toString() === name

const detailOf = (error: unknown, path: string): string => {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") return systemText(error)
  const folder = dirname(path)
  return existsSync(folder) ? `it was not found in ${folder}` : `there is no folder ${folder}`
}

const real = (path: string): string => withFallback(() => realpathSync.native(path), path)

/** The name in a real path for which the fence makes it read-only, in the innermost root around it. */
const protectedIn = (path: string, roots: readonly string[], buildDir: string): string | undefined => {
  const around = roots.map(real).filter((root) => contains(root, path))
  const root = around.reduce((inner, each) => (each.length > inner.length ? each : inner), "")
  const builds = existsSync(topIn(root, real(buildDir)))
  return relative(root, path)
    .split(sep)
    .find((name) => isProtected(name, builds))
}

export const layer: Layer.Layer<RootFiles, never, Settings> = Layer.effect(
  RootFiles,
  Effect.map(Settings, (settings) => {
    const { cwd, roots, buildDir } = settings
    const refused = (file: string, error: unknown) => {
      if (error instanceof FileRefused) return error
      return error instanceof Outside
        ? new FileRefused({ file, reason: "outside", detail: error.message, roots })
        : new FileRefused({ file, reason: "system", detail: detailOf(error, resolve(cwd, file)), roots })
    }
    /** Resolves the roots at each call, since a root may be made or moved meanwhile. */
    const using = <A>(
      file: string,
      use: (files: FencedFiles, path: string) => A,
      check: (real: string) => void = () => {},
    ): Effect.Effect<A, FileRefused> =>
      Effect.try({
        try: () => {
          if (!isText(file)) throw new Outside("a file name that is no Unicode text")
          const inside = fence(roots, closedPaths(settings))
          const checked = (path: string): string => {
            const target = inside(path)
            check(target)
            return target
          }
          return use(fencedFiles(checked), resolve(cwd, file))
        },
        catch: (error) => refused(file, error),
      })
    return {
      write: (file, text) =>
        using(
          file,
          (files, path) => {
            files.write(path, text)
            return path
          },
          (target) => {
            const name = protectedIn(target, roots, buildDir)
            if (name !== undefined) throw new FileRefused({ file, reason: "protected", detail: name, roots })
          },
        ),
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

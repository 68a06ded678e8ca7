/**
 * A file of cases as a tool is given it. Guarantees: it lies in the roots, links followed, and is of a bounded size. Does not: keep the
 * file from being another one by the time it is read, which only whoever may write in the roots could do.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { type Comparison, readCases } from "../../repl/cases.ts"
import { Settings } from "../../Settings.ts"

/** Code to run, and what it should print when that is known. */
export interface Item {
  readonly name: string
  readonly code: string
  readonly expected?: string
  readonly how: Comparison
  /** It begins anew; else it finds what the item before it left. */
  readonly fresh: boolean
  /** As at a console, an error does not stop what comes behind. */
  readonly goOn: boolean
}

export class BadCaseFile extends Data.TaggedError("BadCaseFile")<{
  readonly file: string
  /** In words. */
  readonly reason: string
}> {}

const mostBytes = 16 * 1024 ** 2

/** The items of a file; a relative name is below the working folder. */
export const itemsOf = Effect.fnUntraced(function* (file: string) {
  const { cwd, roots } = yield* Settings
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const isBelow = (way: string) => way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
  const bad = (reason: string) => new BadCaseFile({ file, reason })

  const read = Effect.gen(function* () {
    const real = yield* fs.realPath(path.resolve(cwd, file))
    const within = yield* Effect.forEach(roots, (root) => Effect.orElseSucceed(fs.realPath(root), () => root))
    if (!within.some((root) => isBelow(path.relative(root, real)))) return yield* bad("it is not in K3_ROOTS")
    const { size, type } = yield* fs.stat(real)
    if (type !== "File") return yield* bad("it is no file")
    if (size > mostBytes) return yield* bad(`it is larger than ${mostBytes} bytes`)
    return yield* fs.readFileString(real)
  })
  const text = yield* Effect.catchTag(read, "PlatformError", ({ reason, message }) =>
    Effect.fail(bad(reason._tag === "NotFound" ? "there is no such file" : message)),
  )
  const cases = readCases(text)
  if ("problem" in cases) return yield* bad(`line ${cases.line}: ${cases.problem}`)
  return cases.flatMap(({ name, steps, compare }) =>
    steps.map(({ code, expected }, i): Item => ({ name, code, expected, how: compare, fresh: i === 0, goOn: true })),
  )
})

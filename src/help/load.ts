/**
 * Loads the help and the language when they are first needed, so that a server that never needs them does not spend the time. Guarantees: loads and
 * indexes in steps of a few milliseconds; other work of the process runs between steps.
 */
import { loadDocuments } from "../k3/loadDocuments.ts"

const others = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Runs all steps; other work of the process runs between them. */
export const inSteps = async <A>(steps: Generator<unknown, A>): Promise<A> => {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    await others()
  }
}

const loadAll = async () => {
  const documents = await loadDocuments(others)
  await import("./primitives.ts")
  await others()
  return documents
}
let loaded: ReturnType<typeof loadAll> | undefined
/** A failure, such as too many open files, may pass: the next call loads again. */
const language = () => {
  loaded ??= loadAll().catch((error: unknown) => {
    loaded = undefined
    throw error
  })
  return loaded
}

/** A function that loads more files after the language. */
const afterLanguage =
  <A>(load: (documents: Awaited<ReturnType<typeof loadAll>>) => Promise<A>) =>
  async (): Promise<A> =>
    load(await language())

export const help = afterLanguage(() => import("./help.ts"))

/** The help with its search index. */
export const searchableHelp = async () => {
  const all = await help()
  await inSteps(all.prepare())
  return all
}

/** The help beside an error. */
export const failures = afterLanguage(() => import("./failed.ts"))

/** The files of the K3 skill by name. */
export const skillFiles = afterLanguage(async () => (await import("./skill.ts")).skillFiles)

/** The finders of slips, and of differences of K3CSharp, in code that ran. */
export const slips = afterLanguage(async () => {
  const { differencesShown } = await import("./k3csharp.ts")
  return { ...(await import("./slips.ts")), differencesShown }
})

/** The checks of code without running it, and the differences of K3CSharp. */
export const validation = afterLanguage(async ({ reading, validate, validating }) => ({
  reading,
  validate,
  validating,
  ...(await import("./k3csharp.ts")),
}))

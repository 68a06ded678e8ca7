/**
 * The help and the language it is made from, loaded when somebody asks: a server that is never asked does not pay for them. Guarantees: they are
 * loaded, and the words of the help indexed, in pieces of a few milliseconds, between which whoever else waits has a turn.
 */
import { loadDocuments } from "../k3/loadDocuments.ts"

const others = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Works through the steps; whoever else waits has a turn between two. */
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
const language = () => (loaded ??= loadAll())

export const help = async () => {
  await language()
  return import("./help.ts")
}

/** The help, ready to be searched by words. */
export const searchableHelp = async () => {
  const all = await help()
  await inSteps(all.prepare())
  return all
}

/** What to tell beside an error. */
export const failures = async () => {
  await language()
  return import("./failed.ts")
}

/** The files of the K3 skill by name. */
export const skillFiles = async () => {
  await language()
  return (await import("./skill.ts")).skillFiles
}

/** What the print of code shows to be a slip. */
export const slips = async () => {
  await language()
  return import("./slips.ts")
}

/** What tells what is wrong with code, and what K3CSharp treats otherwise. */
export const validation = async () => {
  const { reading, validate, validating } = await language()
  return { reading, validate, validating, ...(await import("./k3csharp.ts")) }
}

/**
 * The help and the language it is made from, loaded when somebody asks: a server that is never asked does not pay for them. Guarantees: they are
 * loaded, and the words of the help indexed, in pieces of a few milliseconds, between which whoever else waits has a turn.
 */
const others = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Works through the steps; whoever else waits has a turn between two. */
export const inSteps = async <A>(steps: Generator<unknown, A>): Promise<A> => {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    await others()
  }
}

/** Each brings what the next ones need. */
const pieces: readonly (() => Promise<unknown>)[] = [
  () => import("../k3/values/value.ts"),
  () => import("../k3/primitives/table.ts"),
  () => import("../k3/primitives/systemTable.ts"),
  () => import("../k3/syntax/validate.ts"),
  () => import("./primitives.ts"),
]

const loadAll = async (): Promise<void> => {
  for (const piece of pieces) {
    await piece()
    await others()
  }
}
let loaded: Promise<void> | undefined
const language = (): Promise<void> => (loaded ??= loadAll())

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

/** What tells what is wrong with code, and what K3CSharp treats otherwise. */
export const validation = async () => {
  await language()
  return { ...(await import("../k3/syntax/validate.ts")), ...(await import("./k3csharp.ts")) }
}

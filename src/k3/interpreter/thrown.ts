/** Turns anything thrown while K is read or run into an error of K. Does not: display it; `render.ts` does. */
import { KError } from "../run/KError.ts"
import { SyntaxKError } from "../syntax/SyntaxKError.ts"

export const kErrorOf = (thrown: unknown): KError => {
  if (thrown instanceof KError) return thrown
  // JavaScript engines raise it in errors of several classes. A regular expression here would need more of the stack.
  if (thrown instanceof Error && thrown.message.includes("call stack")) return new KError("stack")
  if (thrown instanceof RangeError) return new KError("wsfull", "there is no memory for a value of that size")
  return new KError("internal", { what: "thrown", thrown: String(thrown) })
}

/** Gives an error of a text itself the text as its frame. */
export const inText = <A>(source: string, work: () => A): A => {
  try {
    return work()
  } catch (thrown) {
    const error = kErrorOf(thrown)
    const span = error instanceof SyntaxKError ? error.span : { start: 0, end: source.length }
    if (error.trace.length === 0) error.trace.push({ source, span })
    throw error
  }
}

/**
 * The side effects that the text of a function allows, and MCP's annotations of its tool. Pure.
 *
 * Guarantees: an unknown name counts as having every effect. Does not: find names made at run time.
 */
import { factsOf, type Touch } from "../child/engines/functionText.ts"

export interface Purity {
  /** Effects in the words of `Touch` in `functionText.ts`. */
  readonly touches: readonly string[]
  /** Variables that the function assigns. */
  readonly assigns: readonly string[]
  /** Names whose values could not be read. */
  readonly unknown: readonly string[]
}

/** `@[\`a;…]` and `.[\`a;…]` change the variable, or apply its value. */
const byName = /[@.]\s*\[\s*`([\w.]+)/g

/** The effects found in a function's own text. */
export const purityOf = (text: string): Purity & { readonly uses: readonly string[] } => {
  const { touches, assigns, uses } = factsOf(text)
  const named = [...text.matchAll(byName)].map(([, name]) => name!)
  return { touches, assigns: [...new Set([...assigns, ...named])], uses, unknown: [] }
}

export const both = (a: Purity, b: Purity): Purity => ({
  touches: [...new Set([...a.touches, ...b.touches])],
  assigns: [...new Set([...a.assigns, ...b.assigns])],
  unknown: [...new Set([...a.unknown, ...b.unknown])],
})

/** Effects that change nothing. */
const harmless: ReadonlySet<string> = new Set<Touch>(["randomness", "time"])
const outside: ReadonlySet<string> = new Set<Touch>(["file read", "file write", "shell", "network", "environment", "text run as code"])

export const annotationsOf = ({ touches, assigns, unknown }: Purity) => {
  const readOnly = assigns.length === 0 && unknown.length === 0 && touches.every((each) => harmless.has(each))
  return {
    readOnlyHint: readOnly,
    destructiveHint: !readOnly,
    idempotentHint: readOnly,
    openWorldHint: unknown.length > 0 || touches.some((each) => outside.has(each)),
  }
}

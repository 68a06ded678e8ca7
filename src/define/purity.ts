/**
 * What a function may do beside giving a value, as far as its text and the text of what it uses tell: MCP's annotations of the tool it
 * becomes. Pure. Guarantees: what cannot be told counts as doing everything. Does not: follow names that are made at run time.
 */
import { factsOf, type Touch } from "../child/engines/functionText.ts"

export interface Purity {
  /** As `functionText` calls it. */
  readonly touches: readonly string[]
  /** Variables it assigns. */
  readonly assigns: readonly string[]
  /** Names whose value was not to be seen. */
  readonly unknown: readonly string[]
}

/** `@[\`a;…]` and `.[\`a;…]` change the variable, or apply what it holds. */
const byName = /[@.]\s*\[\s*`([\w.]+)/g

/** What its own text tells. */
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

/** These do not change anything. */
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

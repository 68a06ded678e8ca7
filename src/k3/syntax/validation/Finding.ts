/** A finding of a check in one statement, with offsets in its source. `validate.ts` turns them into lines and carets. */
import type { Node } from "../ast.ts"
import type { Span } from "../../run/KError.ts"
import type { Token } from "../../text/lexer.ts"

/** An `error` keeps the statement from running; a `warning` most likely means something else than was meant; a `hint` may. */
export type Severity = "error" | "warning" | "hint"

export interface Finding {
  readonly severity: Severity
  /** Stable, for programs: an error's name, or a word of ours with a hyphen. */
  readonly code: string
  /** One sentence. */
  readonly message: string
  readonly span: Span
  /** Where the bracket or string was opened, when `span` is not that place. */
  readonly opened?: number | undefined
  /** What to write instead. */
  readonly instead?: string | undefined
}

/** A statement that could be read, as the checks see it. */
export interface Parsed {
  readonly source: string
  /** Ends in the token `end`; comments are gone. */
  readonly tokens: readonly Token[]
  readonly tree: Node & { readonly kind: "sequence" }
}

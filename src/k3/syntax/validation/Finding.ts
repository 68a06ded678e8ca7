/** A finding of a check in one statement, with offsets in its source. `validate.ts` turns them into lines and carets. */
import type { NodeOf } from "../ast.ts"
import type { Span } from "../../run/KError.ts"
import type { Token } from "../../text/lexer.ts"

/** An `error` keeps the statement from running; a `warning` almost certainly means something else than intended; a `hint` may. */
export type Severity = "error" | "warning" | "hint"

export interface Finding {
  readonly severity: Severity
  /** A stable name for programs: an error's name, or hyphenated words of our own. */
  readonly code: string
  /** One sentence. */
  readonly message: string
  readonly span: Span
  /** The offset at which the bracket or string was opened, when `span` is elsewhere. */
  readonly opened?: number | undefined
  /** The code to write instead. */
  readonly instead?: string | undefined
}

/** The advice on another language's conditional. */
export const conditional = ":[c;a;b], the conditional"

/** A statement that was parsed, as the checks use it. */
export interface Parsed {
  readonly source: string
  /** The last token is `end`; comments are dropped. */
  readonly tokens: readonly Token[]
  readonly tree: NodeOf<"sequence">
}

/** An error of the text itself, with its place: what reads K throws no other. */
import { KError, type Span } from "../run/KError.ts"
import type { Detail, SyntaxKind } from "../run/wording.ts"

export class SyntaxKError extends KError {
  constructor(
    override readonly kind: SyntaxKind,
    readonly span: Span,
    detail: string | Detail,
    /** The bracket that closes another kind, the one at `span`. */
    readonly closer?: Span,
  ) {
    super(kind, detail)
  }
}

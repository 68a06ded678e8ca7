/** An error of the text, with its span: the only kind of error that lexer and parser throw. */
import { KError, type Span } from "../run/KError.ts"
import type { ErrorDetail, SyntaxKind } from "../run/wording.ts"

export class SyntaxKError extends KError {
  constructor(
    override readonly kind: SyntaxKind,
    readonly span: Span,
    detail: string | ErrorDetail,
    /** The closing bracket that does not pair with the one at `span`. */
    readonly closer?: Span,
  ) {
    super(kind, detail)
  }
}

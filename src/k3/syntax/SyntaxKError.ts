/** An error of the text itself, with its place: what reads K throws no other. */
import { KError, type Span } from "../run/KError.ts"

export class SyntaxKError extends KError {
  constructor(
    kname: string,
    readonly span: Span,
    hint?: string,
    /** The bracket that closes another kind, the one at `span`. */
    readonly closer?: Span,
  ) {
    super(kname, hint)
  }
}

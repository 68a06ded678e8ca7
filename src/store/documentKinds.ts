/** The kinds of small documents that are kept: what a key of each looks like, and the form of its lines. */
import type { Form } from "./sealed.ts"

export interface DocumentKind {
  readonly name: "definitions" | "crashes" | "evaluations"
  readonly key: RegExp
  readonly form: Form
}

const number = /^[1-9]\d{0,14}$/

export const definitions: DocumentKind = { name: "definitions", key: /^\w{1,64}$/, form: { kind: "definition", version: 1 } }
export const crashes: DocumentKind = { name: "crashes", key: number, form: { kind: "crash", version: 1 } }
export const evaluations: DocumentKind = { name: "evaluations", key: number, form: { kind: "evaluation", version: 1 } }

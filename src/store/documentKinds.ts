/** The kinds of small documents in the store: the pattern of the keys and the form of the lines of each. */
import type { Form } from "./sealed.ts"

export interface DocumentKind {
  readonly name: "definitions" | "crashes" | "evaluations" | "subscriptions"
  readonly key: RegExp
  readonly form: Form
}

const number = /^[1-9]\d{0,14}$/

export const definitions: DocumentKind = { name: "definitions", key: /^\w{1,64}$/, form: { kind: "definition", version: 1 } }
export const crashes: DocumentKind = { name: "crashes", key: number, form: { kind: "crash", version: 1 } }
export const evaluations: DocumentKind = { name: "evaluations", key: number, form: { kind: "evaluation", version: 1 } }
export const subscriptions: DocumentKind = {
  name: "subscriptions",
  key: /^[0-9a-f]{32}$/,
  form: { kind: "subscriptions", version: 1 },
}

/** The kinds of small documents in the store: the pattern of the keys and the form of the lines of each. */
import type { Form } from "./sealed.ts"
import type { DocumentStore, Store } from "./Store.ts"

export const documentNames = ["definitions", "crashes", "evaluations", "subscriptions"] as const
type Name = (typeof documentNames)[number]

export interface DocumentKind {
  readonly name: Name
  readonly key: RegExp
  readonly form: Form
}

const number = /^[1-9]\d{0,14}$/

/** The part of a store for documents. `make` gives the store of one kind. */
export const documentStores = (make: (kind: DocumentKind) => DocumentStore): Pick<Store["Service"], Name> => ({
  definitions: make({ name: "definitions", key: /^\w{1,64}$/, form: { kind: "definition", version: 1 } }),
  crashes: make({ name: "crashes", key: number, form: { kind: "crash", version: 1 } }),
  evaluations: make({ name: "evaluations", key: number, form: { kind: "evaluation", version: 1 } }),
  subscriptions: make({ name: "subscriptions", key: /^[0-9a-f]{32}$/, form: { kind: "subscriptions", version: 1 } }),
})

/**
 * The kinds of small documents in the store, a row each. A new kind is a row here, and its name in `stateNames` of `Settings.ts`.
 *
 * The folder store keeps a kind in a folder of its name, PostgreSQL in the rows of its name.
 */
import type { Form } from "./sealed.ts"

interface Row {
  /** The pattern of the keys. */
  readonly key: RegExp
  /** The folder store puts it before the key in a file's name, since some systems forbid names such as `con`. */
  readonly prefix: string
  /** The form of the lines. */
  readonly form: Form
}

const number = /^[1-9]\d{0,14}$/

const kinds = {
  /** Tools made of K functions, by name. */
  definitions: { key: /^\w{1,64}$/, prefix: "kf_", form: { kind: "definition", version: 1 } },
  crashes: { key: number, prefix: "", form: { kind: "crash", version: 1 } },
  /** Evaluations in the background. */
  evaluations: { key: number, prefix: "e", form: { kind: "evaluation", version: 1 } },
  /** The addresses that clients over HTTP watch, by transport session. */
  subscriptions: { key: /^[0-9a-f]{32}$/, prefix: "", form: { kind: "subscriptions", version: 1 } },
}

type Name = keyof typeof kinds

export interface DocumentKind extends Row {
  readonly name: Name
}

export type OfEachKind<A> = { readonly [name in Name]: A }

export const documentNames = Object.keys(kinds) as readonly Name[]

/** The results of `make`, by kind. */
export const ofEachKind = <A>(make: (kind: DocumentKind) => A): OfEachKind<A> =>
  Object.fromEntries(documentNames.map((name) => [name, make({ name, ...kinds[name] })])) as OfEachKind<A>

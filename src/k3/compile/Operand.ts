/**
 * Where generated code finds the value of an expression.
 *
 * Guarantees: `js` reads the value any number of times without effect; that of a `local` changes when its variable is assigned, every
 * other stays. Nothing decides by the text of `js`. Does not: hold the value itself, which there is when the code runs.
 */
export interface Operand {
  /** A K local; a temporary; an int written in the program; anything else made before the code runs, or hoisted out of it. */
  readonly kind: "local" | "temp" | "int" | "const"
  readonly js: string
}

export const local = (name: string): Operand => ({ kind: "local", js: `v$${name}` })
export const temporary = (n: number): Operand => ({ kind: "temp", js: `t${n}` })
export const int = (js: string): Operand => ({ kind: "int", js })
export const constant = (js: string): Operand => ({ kind: "const", js })

/** The use of a value: it may be kept, it is only read, or it is dropped. */
export type Use = "kept" | "read" | "dropped"

/** The JavaScript that makes an array; `elided` stands for an elided item. */
export const array = (items: readonly (Operand | undefined)[], elided = "undefined"): string =>
  `[${items.map((item) => item?.js ?? elided).join(",")}]`

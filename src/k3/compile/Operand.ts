/**
 * The place in generated code where the value of an expression is found.
 *
 * Guarantees: evaluating `js` any number of times has no effect. The `js` of a `local` changes its value when the variable is assigned; every other
 * stays. No code decides by the text of `js`. Does not: hold the value, which exists only at run time.
 */
export interface Operand {
  /** A K local; a temporary; an int in the text; a value made before the code runs or hoisted out of it. */
  readonly kind: "local" | "temp" | "int" | "const"
  readonly js: string
}

export const local = (name: string): Operand => ({ kind: "local", js: `v$${name}` })
export const temporary = (n: number): Operand => ({ kind: "temp", js: `t${n}` })
export const int = (js: string): Operand => ({ kind: "int", js })
export const constant = (js: string): Operand => ({ kind: "const", js })

/** The use of a value: it may be kept, it is only read, or it is dropped. */
export type Use = "kept" | "read" | "dropped"

/** The JavaScript of an array; `elided` stands for an elided item. */
export const array = (items: readonly (Operand | undefined)[], elided = "undefined"): string =>
  `[${items.map((item) => item?.js ?? elided).join(",")}]`

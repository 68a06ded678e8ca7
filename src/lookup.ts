/** The entry of an object that outside data names: its own, and nothing that objects inherit, such as `constructor`. */
export const lookup = <A>(table: { readonly [key: string]: A } | undefined, key: string): A | undefined =>
  table !== undefined && Object.hasOwn(table, key) ? table[key] : undefined

/** The own entry of an object under a key from outside data. Inherited keys such as `constructor` give undefined. */
export const lookup = <A>(table: { readonly [key: string]: A } | undefined, key: string): A | undefined =>
  table !== undefined && Object.hasOwn(table, key) ? table[key] : undefined

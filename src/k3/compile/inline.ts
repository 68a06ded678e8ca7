/** JavaScript for ints that stands in place of a call of a verb. */

/** Int paths: the text for two ints `a` and `b`, and the condition beside both being ints. */
export const INT_DYADS: Readonly<
  Record<string, { readonly text: (a: string, b: string) => string; readonly when?: (a: string, b: string) => string }>
> = {
  "+": { text: (a, b) => `(${a}+${b})|0` },
  "-": { text: (a, b) => `(${a}-${b})|0` },
  "*": { text: (a, b) => `Math.imul(${a},${b})` },
  "<": { text: (a, b) => `${a}<${b}?1:0` },
  ">": { text: (a, b) => `${a}>${b}?1:0` },
  "=": { text: (a, b) => `${a}===${b}?1:0` },
  "&": { text: (a, b) => `${a}<${b}?${a}:${b}` },
  "|": { text: (a, b) => `${a}>${b}?${a}:${b}` },
  "!": { text: (a, b) => `${a}%${b}`, when: (a, b) => `&&${a}>=0&&${b}>0` },
}
export const INT_MONADS: Readonly<Record<string, (x: string) => string>> = {
  "-": (x) => `-${x}|0`,
  "~": (x) => `${x}===0?1:0`,
  _: (x) => x,
}

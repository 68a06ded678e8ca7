/** Makes the value when it is first asked for, once. */
export const lazily = <A>(made: () => A): (() => A) => {
  let value: A | undefined
  return () => (value ??= made())
}

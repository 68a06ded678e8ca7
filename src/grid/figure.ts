/** A figure of a variable, for reading. Pure. Guarantees: whole numbers below 10^15 are exact; any other has at most seven digits, as K prints it. */

const whole = new Intl.NumberFormat("en")
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 7 })

/** Beyond these, digits without a power of ten cannot be read. */
const least = 1e-5
const most = 1e15

export const figure = (value: number): string => {
  const size = Math.abs(value)
  if (Number.isInteger(value) && size < most) return whole.format(value)
  return size >= least && size < most ? short.format(value) : Number(value.toPrecision(7)).toExponential()
}

/** A web font (WOFF) as TrueType, the form that resvg reads: unpacks its tables. Pure but for `inflate`. */
const HEADER = 12
const ENTRY = 16

export const trueTypeOf = (woff: Uint8Array, inflate: (bytes: Uint8Array) => Uint8Array): Uint8Array => {
  const from = new DataView(woff.buffer, woff.byteOffset, woff.byteLength)
  const tables = from.getUint16(12)
  const font = new Uint8Array(from.getUint32(16))
  const to = new DataView(font.buffer)
  const power = Math.floor(Math.log2(tables))
  to.setUint32(0, from.getUint32(4))
  for (const [i, field] of [tables, 16 * 2 ** power, power, 16 * (tables - 2 ** power)].entries()) to.setUint16(4 + 2 * i, field)
  let at = HEADER + ENTRY * tables
  for (let i = 0; i < tables; i++) {
    const entry = 44 + 20 * i
    const [tag = 0, offset = 0, packed = 0, length = 0, sum = 0] = [0, 4, 8, 12, 16].map((field) => from.getUint32(entry + field))
    const bytes = woff.subarray(offset, offset + packed)
    for (const [field, value] of [tag, sum, at, length].entries()) to.setUint32(HEADER + ENTRY * i + 4 * field, value)
    font.set(packed < length ? inflate(bytes) : bytes, at)
    at += (length + 3) & ~3
  }
  return font
}

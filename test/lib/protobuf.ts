/** The fields of a message in the wire format of protocol buffers: numbers, and bytes, which may be a text or a nested message. */
const fieldsOf = (bytes: Uint8Array): readonly (readonly [field: number, value: bigint | Uint8Array])[] => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const fields: (readonly [number, bigint | Uint8Array])[] = []
  let at = 0
  const number = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = BigInt(view.getUint8(at++))
      value |= (byte & 127n) << shift
      if (byte < 128n) return value
    }
  }
  const taken = (length: number): Uint8Array => {
    if (at + length > bytes.length) throw new Error(`${length} bytes are missing at ${at} of ${bytes.length}`)
    return bytes.subarray(at, (at += length))
  }
  while (at < bytes.length) {
    const tag = Number(number())
    const kind = tag & 7
    if (![0, 1, 2, 5].includes(kind)) throw new Error(`no kind ${kind} of a field is known, at ${at}`)
    fields.push([tag >> 3, kind === 0 ? number() : kind === 2 ? taken(Number(number())) : taken(kind === 1 ? 8 : 4)])
  }
  return fields
}

/** All values at a path of field numbers through nested messages. */
export const at = (bytes: Uint8Array, [first, ...rest]: readonly number[]): readonly (bigint | Uint8Array)[] =>
  fieldsOf(bytes)
    .filter(([field]) => field === first)
    .flatMap(([, value]) => (rest.length === 0 ? [value] : at(value as Uint8Array, rest)))

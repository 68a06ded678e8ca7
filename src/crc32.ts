/** CRC-32 as in zlib and PNG, block by block. It detects damage, not manipulation. */

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

/** The checksum of earlier blocks, which is `crc`, continued with `bytes`. */
export const crc32 = (bytes: Uint8Array, crc = 0): number => {
  let c = ~crc
  for (let i = 0; i < bytes.length; i++) c = table[(c ^ bytes[i]!) & 0xff]! ^ (c >>> 8)
  return ~c >>> 0
}

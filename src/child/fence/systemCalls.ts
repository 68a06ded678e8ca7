/**
 * The filter of system calls inside the fence on Linux, a program of classic BPF as bubblewrap takes it.
 *
 * Guarantees: what namespaces leave shared with the server is refused with EPERM: the kernel's keyrings, and sockets of families that have no network namespace
 * (vsock, which reaches a virtual machine's host). io_uring, which makes sockets past any filter, and programs of another architecture are refused with them.
 * Does not: know architectures other than those of the table; they have no filter.
 */

interface Architecture {
  /** As the kernel's audit names it. */
  readonly audit: number
  readonly socket: number
  /** The first and last of add_key, request_key and keyctl, which follow each other. */
  readonly keys: readonly [number, number]
}

/** By `process.arch`. */
const ARCHITECTURES: ReadonlyMap<string, Architecture> = new Map([
  ["x64", { audit: 0xc000003e, socket: 41, keys: [248, 250] }],
  ["arm64", { audit: 0xc00000b7, socket: 198, keys: [217, 219] }],
])

const IO_URING_SETUP = 425
/** From here on x86 has the calls of its x32 programs. */
const X32 = 0x40000000
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. */
const FAMILIES = [1, 2, 10, 16]

const LOAD = 0x20
const EQUAL = 0x15
const AT_LEAST = 0x35
const RETURN = 0x06
/** Offsets in what the filter is given. */
const CALL = 0
const ARCHITECTURE = 4
const FIRST_ARGUMENT = 16
const ALLOW = 0x7fff0000
const EPERM = 0x00050001

/** Code, how many instructions to skip when it is true and when not, operand. */
type Instruction = readonly [number, number, number, number]

/** Undefined for an architecture that is not in the table. */
export const systemCallFilter = (arch: string): Uint8Array | undefined => {
  const row = ARCHITECTURES.get(arch)
  if (row === undefined) return undefined
  const { audit, socket, keys } = row
  const program: readonly Instruction[] = [
    [LOAD, 0, 0, ARCHITECTURE],
    [EQUAL, 1, 0, audit],
    [RETURN, 0, 0, EPERM],
    [LOAD, 0, 0, CALL],
    [AT_LEAST, 3, 0, X32],
    [EQUAL, 2, 0, IO_URING_SETUP],
    [AT_LEAST, 0, 2, keys[0]],
    [AT_LEAST, 1, 0, keys[1] + 1],
    [RETURN, 0, 0, EPERM],
    [EQUAL, 0, FAMILIES.length + 2, socket],
    [LOAD, 0, 0, FIRST_ARGUMENT],
    ...FAMILIES.map((family, i): Instruction => [EQUAL, FAMILIES.length - i, 0, family]),
    [RETURN, 0, 0, EPERM],
    [RETURN, 0, 0, ALLOW],
  ]
  const bytes = new DataView(new ArrayBuffer(program.length * 8))
  program.forEach(([code, whenTrue, whenNot, operand], i) => {
    bytes.setUint16(i * 8, code, true)
    bytes.setUint8(i * 8 + 2, whenTrue)
    bytes.setUint8(i * 8 + 3, whenNot)
    bytes.setUint32(i * 8 + 4, operand, true)
  })
  return new Uint8Array(bytes.buffer)
}

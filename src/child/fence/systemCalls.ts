/**
 * The filter of system calls inside the fence on Linux, a program of classic BPF as bubblewrap takes it.
 *
 * Guarantees: refused with EPERM is what namespaces and limits leave open.
 * - Shared with the server: the kernel's keyrings, and sockets of families that have no network namespace (vsock reaches the host of a virtual machine).
 * - Memory that no limit counts: what processes share without a file (memfd, System V, anonymous shared mappings).
 * - Another process's limits: to trace one inside that was started before limits were set.
 * - Programs that run as the server's user for whoever starts them outside: files with the set-user-ID or set-group-ID bit.
 * - Ways past a filter: io_uring, and programs of another architecture.
 *
 * Does not: know architectures other than those of the table; they have no filter.
 */

interface Architecture {
  /** As the kernel's audit names it. */
  readonly audit: number
  readonly socket: number
  readonly mmap: number
  /** Calls that give a file a mode, by the argument that is the mode; `open` and `openat` only where they make the file. */
  readonly modes: Readonly<Record<"mode1" | "mode2" | "open" | "openat", readonly number[]>>
  /** In this order: add_key, request_key, keyctl, ptrace, process_vm_readv, process_vm_writev, shmget, memfd_create. */
  readonly refused: readonly number[]
}

/** By `process.arch`. */
const ARCHITECTURES: ReadonlyMap<string, Architecture> = new Map([
  [
    "x64",
    {
      audit: 0xc000003e,
      socket: 41,
      mmap: 9,
      // chmod, fchmod, creat, mknod; fchmodat, mknodat, fchmodat2.
      modes: { mode1: [90, 91, 85, 133], mode2: [268, 259, 452], open: [2], openat: [257] },
      refused: [248, 249, 250, 101, 310, 311, 29, 319],
    },
  ],
  [
    "arm64",
    {
      audit: 0xc00000b7,
      socket: 198,
      mmap: 222,
      // fchmod; fchmodat, mknodat, fchmodat2.
      modes: { mode1: [52], mode2: [53, 33, 452], open: [], openat: [56] },
      refused: [217, 218, 219, 117, 270, 271, 194, 279],
    },
  ],
])

/** io_uring_setup and memfd_secret have one number everywhere. */
const REFUSED = [425, 447]
/** openat2 takes its mode where a filter cannot read it. It is answered as by a system that does not have it: programs use openat then. */
const OPENAT2 = 437
/** From here on x86 has the calls of its x32 programs. */
const X32 = 0x40000000
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. */
const FAMILIES = [1, 2, 10, 16]
/** Bits of mmap's flags: MAP_SHARED and MAP_ANONYMOUS. */
const SHARED_ANONYMOUS = 0x21

/** Bits of the flags that make a file: O_CREAT and O_TMPFILE. */
const CREATES = 0x400040
const SET_ID = 0o6000

const LOAD = 0x20
const EQUAL = 0x15
const AT_LEAST = 0x35
const HAS_ANY = 0x45
const AND = 0x54
const RETURN = 0x06
/** Offsets in what the filter is given. */
const CALL = 0
const ARCHITECTURE = 4
const argument = (n: number): number => 16 + 8 * n
const ALLOW = 0x7fff0000
const EPERM = 0x00050001
const ENOSYS = 0x00050026

type Place = "next" | "refuse" | "unknown" | "allow" | "socket" | "mmap" | "open" | "openat" | "mode1" | "mode2" | "mode3"

interface Instruction {
  readonly code: number
  readonly operand: number
  /** Where to go on when it is true, and when not. */
  readonly whenTrue?: Place
  readonly whenNot?: Place
  /** What this place is called. */
  readonly at?: Place
}

/** Goes to a place when the call is one of these. */
const when = (calls: readonly number[], whenTrue: Place): readonly Instruction[] =>
  calls.map((operand) => ({ code: EQUAL, operand, whenTrue }))

/** A place that looks at an argument: has it any of these bits? */
const bits = (at: Place, n: number, operand: number, whenTrue: Place): readonly Instruction[] => [
  { at, code: LOAD, operand: argument(n) },
  { code: HAS_ANY, operand, whenTrue, whenNot: "allow" },
]

const programOf = ({ audit, socket, mmap, modes, refused }: Architecture): readonly Instruction[] => [
  { code: LOAD, operand: ARCHITECTURE },
  { code: EQUAL, operand: audit, whenNot: "refuse" },
  { code: LOAD, operand: CALL },
  { code: AT_LEAST, operand: X32, whenTrue: "refuse" },
  ...when([...refused, ...REFUSED], "refuse"),
  ...when([OPENAT2], "unknown"),
  ...when(modes.mode1, "mode1"),
  ...when(modes.mode2, "mode2"),
  ...when(modes.open, "open"),
  ...when(modes.openat, "openat"),
  ...when([socket], "socket"),
  { code: EQUAL, operand: mmap, whenTrue: "mmap", whenNot: "allow" },
  ...bits("open", 1, CREATES, "mode2"),
  ...bits("openat", 2, CREATES, "mode3"),
  ...bits("mode1", 1, SET_ID, "refuse"),
  ...bits("mode2", 2, SET_ID, "refuse"),
  ...bits("mode3", 3, SET_ID, "refuse"),
  { at: "mmap", code: LOAD, operand: argument(3) },
  { code: AND, operand: SHARED_ANONYMOUS },
  { code: EQUAL, operand: SHARED_ANONYMOUS, whenTrue: "refuse", whenNot: "allow" },
  { at: "socket", code: LOAD, operand: argument(0) },
  ...when(FAMILIES, "allow"),
  { at: "refuse", code: RETURN, operand: EPERM },
  { at: "unknown", code: RETURN, operand: ENOSYS },
  { at: "allow", code: RETURN, operand: ALLOW },
]

/** Undefined for an architecture that is not in the table. */
export const systemCallFilter = (arch: string): Uint8Array | undefined => {
  const row = ARCHITECTURES.get(arch)
  if (row === undefined) return undefined
  const program = programOf(row)
  const bytes = new DataView(new ArrayBuffer(program.length * 8))
  program.forEach(({ code, operand, whenTrue = "next", whenNot = "next" }, i) => {
    /** Instructions to skip. */
    const to = (place: Place): number => (place === "next" ? 0 : program.findIndex(({ at }) => at === place) - i - 1)
    bytes.setUint16(i * 8, code, true)
    bytes.setUint8(i * 8 + 2, to(whenTrue))
    bytes.setUint8(i * 8 + 3, to(whenNot))
    bytes.setUint32(i * 8 + 4, operand, true)
  })
  return new Uint8Array(bytes.buffer)
}

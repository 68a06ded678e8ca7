/**
 * The filter of system calls inside the fence on Linux, a program of classic BPF as bubblewrap takes it.
 *
 * Guarantees: it refuses with EPERM the calls that namespaces and limits leave open.
 * - Resources shared with the server: the kernel's keyrings, and sockets of families without a network namespace (vsock reaches the host of a
 *   virtual machine).
 * - Memory that no limit counts: memory shared without a file (memfd, System V, anonymous shared mappings), mappings that grow like a stack, and
 *   semaphores and queues of System V.
 * - Watches of files, which the kernel counts for each user: without any left, the server could not watch the roots (`platform/RootWatch.ts`).
 * - Leases of files: whoever opens such a file, also a read-only one, waits until the lease ends, 45 s unless the system is set otherwise.
 * - Evasion of limits: tracing a process inside that was started before the limits were set.
 * - Files with the set-user-ID or set-group-ID bit: outside, they would run as the server's user, whoever starts them.
 * - Ways around the filter: io_uring, and programs of another architecture.
 *
 * Does not: filter on architectures that are not in the table.
 */

interface Architecture {
  /** The number of the architecture in the kernel's audit. */
  readonly audit: number
  readonly socket: number
  readonly mmap: number
  readonly fcntl: number
  /** Calls that set the mode of a file, by the number of the mode's argument; `open` and `openat` only when they create the file. */
  readonly modes: Readonly<Record<"mode1" | "mode2" | "open" | "openat", readonly number[]>>
  /**
   * In this order: add_key, request_key, keyctl, ptrace, process_vm_readv, process_vm_writev, shmget, semget, msgget, memfd_create, inotify_init1,
   * fanotify_init; of x86-64 inotify_init, too.
   */
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
      fcntl: 72,
      // chmod, fchmod, creat, mknod; fchmodat, mknodat, fchmodat2.
      modes: { mode1: [90, 91, 85, 133], mode2: [268, 259, 452], open: [2], openat: [257] },
      refused: [248, 249, 250, 101, 310, 311, 29, 64, 68, 319, 294, 300, 253],
    },
  ],
  [
    "arm64",
    {
      audit: 0xc00000b7,
      socket: 198,
      mmap: 222,
      fcntl: 25,
      // fchmod; fchmodat, mknodat, fchmodat2.
      modes: { mode1: [52], mode2: [53, 33, 452], open: [], openat: [56] },
      refused: [217, 218, 219, 117, 270, 271, 194, 190, 186, 279, 26, 262],
    },
  ],
])

/** io_uring_setup and memfd_secret have the same numbers on all architectures. */
const REFUSED = [425, 447]
/** openat2 takes its mode from memory, which a filter cannot read. It is answered with ENOSYS, so that programs use openat. */
const OPENAT2 = 437
/** On x86, greater call numbers belong to x32 programs. */
const X32 = 0x40000000
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. */
const FAMILIES = [1, 2, 10, 16]
/** Bits of mmap's flags: MAP_SHARED and MAP_ANONYMOUS. */
const SHARED_ANONYMOUS = 0x21
/** MAP_GROWSDOWN. */
const GROWS = 0x100
/** F_SETLEASE, F_SETDELEG: commands of fcntl. */
const LEASES = [1024, 1040]

/** Flags that create a file: O_CREAT and O_TMPFILE. */
const CREATES = 0x400040
const SET_ID = 0o6000

const LOAD = 0x20
const EQUAL = 0x15
const AT_LEAST = 0x35
const HAS_ANY = 0x45
const AND = 0x54
const RETURN = 0x06
/** Offsets in the data of a call that the filter reads. */
const CALL = 0
const ARCHITECTURE = 4
const argument = (n: number): number => 16 + 8 * n
const ALLOW = 0x7fff0000
const EPERM = 0x00050001
const ENOSYS = 0x00050026

type Place = "next" | "refuse" | "unknown" | "allow" | "socket" | "mmap" | "fcntl" | "open" | "openat" | "mode1" | "mode2" | "mode3"

interface Instruction {
  readonly code: number
  readonly operand: number
  /** The next place when the comparison is true, and when it is false. */
  readonly whenTrue?: Place
  readonly whenNot?: Place
  /** Name of this place. */
  readonly at?: Place
}

/** Jumps to a place when the value is one of `calls`. */
const when = (calls: readonly number[], whenTrue: Place): readonly Instruction[] =>
  calls.map((operand) => ({ code: EQUAL, operand, whenTrue }))

/** A place that jumps when an argument has any of the bits of `operand`. */
const bits = (at: Place, n: number, operand: number, whenTrue: Place): readonly Instruction[] => [
  { at, code: LOAD, operand: argument(n) },
  { code: HAS_ANY, operand, whenTrue, whenNot: "allow" },
]

const programOf = ({ audit, socket, mmap, fcntl, modes, refused }: Architecture): readonly Instruction[] => [
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
  ...when([fcntl], "fcntl"),
  { code: EQUAL, operand: mmap, whenTrue: "mmap", whenNot: "allow" },
  ...bits("open", 1, CREATES, "mode2"),
  ...bits("openat", 2, CREATES, "mode3"),
  ...bits("mode1", 1, SET_ID, "refuse"),
  ...bits("mode2", 2, SET_ID, "refuse"),
  ...bits("mode3", 3, SET_ID, "refuse"),
  { at: "mmap", code: LOAD, operand: argument(3) },
  { code: HAS_ANY, operand: GROWS, whenTrue: "refuse" },
  { code: AND, operand: SHARED_ANONYMOUS },
  { code: EQUAL, operand: SHARED_ANONYMOUS, whenTrue: "refuse", whenNot: "allow" },
  { at: "fcntl", code: LOAD, operand: argument(1) },
  ...when(LEASES, "refuse"),
  { code: RETURN, operand: ALLOW },
  { at: "socket", code: LOAD, operand: argument(0) },
  ...when(FAMILIES, "allow"),
  { at: "refuse", code: RETURN, operand: EPERM },
  { at: "unknown", code: RETURN, operand: ENOSYS },
  { at: "allow", code: RETURN, operand: ALLOW },
]

/** The filter for an architecture; undefined when it is not in the table. */
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

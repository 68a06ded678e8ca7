/** The answers of the filter to system calls, by interpreting its program. `test/fence` tests a real process, on one architecture. */
import { describe, expect, it } from "vitest"
import { systemCallFilter } from "../../../src/child/fence/systemCalls.ts"

const ANSWERS: ReadonlyMap<number, string> = new Map([
  [0x7fff0000, "allowed"],
  [0x00050001, "EPERM"],
  [0x00050026, "ENOSYS"],
])

/** Interprets the instructions of classic BPF that the filter uses, over the data of one call. */
const answer = (filter: Uint8Array, audit: number, call: number, args: readonly number[]): string | undefined => {
  const code = new DataView(filter.buffer)
  const given = new Map([[0, call], [4, audit], ...args.map((arg, n): [number, number] => [16 + 8 * n, arg])])
  let held = 0
  for (let at = 0; at * 8 < filter.length; at++) {
    const operand = code.getUint32(at * 8 + 4, true)
    const skip = (holds: boolean): number => code.getUint8(at * 8 + (holds ? 2 : 3))
    const kind = code.getUint16(at * 8, true)
    if (kind === 0x20) held = given.get(operand) ?? 0
    else if (kind === 0x54) held &= operand
    else if (kind === 0x15) at += skip(held === operand)
    else if (kind === 0x35) at += skip(held >= operand)
    else if (kind === 0x45) at += skip((held & operand) !== 0)
    else return ANSWERS.get(operand)
  }
  return undefined
}

const O_CREAT = 0o100
const [SHARED, PRIVATE, ANONYMOUS] = [1, 2, 0x20]

describe.each([
  {
    arch: "x64",
    audit: 0xc000003e,
    calls: {
      read: 0,
      socket: 41,
      mmap: 9,
      fcntl: 72,
      ptrace: 101,
      memfd: 319,
      semget: 64,
      msgget: 68,
      inotify: 294,
      fchmod: 91,
      fchmodat: 268,
      openat: 257,
    },
  },
  {
    arch: "arm64",
    audit: 0xc00000b7,
    calls: {
      read: 63,
      socket: 198,
      mmap: 222,
      fcntl: 25,
      ptrace: 117,
      memfd: 279,
      semget: 190,
      msgget: 186,
      inotify: 26,
      fchmod: 52,
      fchmodat: 53,
      openat: 56,
    },
  },
])("G13 the filter of system calls on $arch", ({ arch, audit, calls }) => {
  const filter = systemCallFilter(arch)!
  it.each<[what: string, answer: string, call: number, args: readonly number[]]>([
    ["reading", "allowed", calls.read, []],
    ["a unix socket", "allowed", calls.socket, [1]],
    ["a netlink socket", "allowed", calls.socket, [16]],
    ["a vsock socket", "EPERM", calls.socket, [40]],
    ["tracing", "EPERM", calls.ptrace, []],
    ["a memfd", "EPERM", calls.memfd, []],
    ["a set of semaphores", "EPERM", calls.semget, []],
    ["a queue of messages", "EPERM", calls.msgget, []],
    ["watches of files", "EPERM", calls.inotify, []],
    ["private memory", "allowed", calls.mmap, [0, 0, 3, PRIVATE | ANONYMOUS]],
    ["a shared file", "allowed", calls.mmap, [0, 0, 3, SHARED]],
    ["shared memory without a file", "EPERM", calls.mmap, [0, 0, 3, SHARED | ANONYMOUS]],
    ["memory that grows like a stack", "EPERM", calls.mmap, [0, 0, 3, PRIVATE | ANONYMOUS | 0x100]],
    ["a lock of a file", "allowed", calls.fcntl, [3, 6]],
    ["a lease of a file", "EPERM", calls.fcntl, [3, 1024]],
    ["a delegation of a folder", "EPERM", calls.fcntl, [3, 1040]],
    ["an ordinary mode", "allowed", calls.fchmod, [3, 0o1755]],
    ["a mode with the set-user-ID bit", "EPERM", calls.fchmod, [3, 0o4755]],
    ["one with the set-group-ID bit, by a path", "EPERM", calls.fchmodat, [3, 0, 0o2755]],
    ["a new file", "allowed", calls.openat, [3, 0, O_CREAT, 0o666]],
    ["a new file with the bit", "EPERM", calls.openat, [3, 0, O_CREAT, 0o4755]],
    ["an old file, whatever the mode that is not read", "allowed", calls.openat, [3, 0, 0, 0o4755]],
    ["openat2", "ENOSYS", 437, []],
    ["io_uring", "EPERM", 425, []],
  ])("%s: %s", (_, is, call, args) => expect(answer(filter, audit, call, args)).toBe(is))

  it("refuses programs of another architecture", () => expect(answer(filter, 0x40000003, calls.read, [])).toBe("EPERM"))
})

it("G13 there is no filter for an architecture with unknown numbers of calls", () => expect(systemCallFilter("riscv64")).toBe(undefined))

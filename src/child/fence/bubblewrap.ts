/**
 * The fence on Linux: the command line of bubblewrap for a plan.
 *
 * Guarantees: inside the fence are the system's programs and libraries, the engine, the roots and a private, bounded /tmp. There is no network,
 * no other process, no capability, and no way to make a further namespace. All processes inside end with bubblewrap, and bubblewrap ends with
 * the server. Does not: refuse a unix socket in a root, or limit the number of processes of a server that runs as root.
 *
 * Later arguments cover earlier ones: roots cover /tmp, read-only and hidden places cover roots, the program covers all.
 */
import { ownExit } from "../../repl/frame.ts"
import type { ProcessExit } from "../Process.ts"
import { FILTER_DESCRIPTOR, type FencePlan, type FenceTools, isWithin } from "./FencePlan.ts"

/**
 * Files of the system that programs read: time zone, dynamic linker, names of users, number of processors. Without the number of processors,
 * .NET walks the stack for minutes after a stack overflow, instead of ending.
 */
export const SYSTEM_FILES = [
  "/etc/localtime",
  "/etc/alternatives",
  "/etc/ld.so.cache",
  "/etc/passwd",
  "/etc/group",
  "/etc/nsswitch.conf",
  "/sys/devices/system/cpu",
]
const SHARED_MEMORY_BYTES = 64 * 1024 ** 2
/** The usual limit. A process may grow its first thread's stack up to it, and the limit of memory does not count that. */
const STACK_BYTES = 8 * 1024 ** 2

const words = (text: string): readonly string[] => text.split(" ")

/** The arguments before the program and its own arguments. */
export const bubblewrap = (plan: FencePlan, tools: FenceTools): readonly string[] => [
  ...words("--unshare-user --unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup-try"),
  ...words("--disable-userns --cap-drop ALL --die-with-parent"),
  ...(tools.filter === undefined ? [] : ["--seccomp", String(FILTER_DESCRIPTOR)]),
  ...tools.folders.flatMap(({ path, target }) => (target === undefined ? ["--ro-bind", path, path] : ["--symlink", target, path])),
  // A root would cover those in it.
  ...SYSTEM_FILES.flatMap((file) => (plan.roots.some((root) => isWithin(file, root)) ? [] : ["--ro-bind-try", file, file])),
  ...words(`--proc /proc --remount-ro /proc --dev /dev --size ${SHARED_MEMORY_BYTES} --tmpfs /dev/shm`),
  // /dev/full gives the same zeros and cannot be mapped. Memory shared through /dev/zero would count for no process.
  ...words("--dev-bind /dev/full /dev/zero --remount-ro /dev"),
  ...words(`--size ${plan.temporaryBytes} --tmpfs /tmp`),
  "--dir",
  plan.cwd,
  // A folder that holds a mount could be moved, with its mount; a mount itself cannot.
  ...[...plan.roots, ...plan.fixed].flatMap((path) => ["--bind-try", path, path]),
  ...plan.readOnly.flatMap((path) => ["--ro-bind-try", path, path]),
  ...plan.hiddenFolders.flatMap((path) => ["--tmpfs", path]),
  ...plan.hiddenFiles.flatMap((path) => ["--ro-bind", "/dev/null", path]),
  ...plan.program.flatMap((path) => ["--ro-bind", path, path]),
  ...plan.hiddenFolders.flatMap((path) => ["--remount-ro", path]),
  ...words("--remount-ro / --chdir"),
  plan.cwd,
  "--",
  ...limits(plan, tools),
]

/** `prlimit` sets the limits that namespaces lack, and then executes the program. It fails when it has to raise a hard limit. */
const limits = (plan: FencePlan, { prlimit, countsProcesses, hardLimits }: FenceTools): readonly string[] => {
  if (prlimit === undefined) return []
  const memoryBytes = Math.min(plan.memoryBytes, hardLimits?.memoryBytes ?? Infinity)
  const stackBytes = Math.min(STACK_BYTES, hardLimits?.stackBytes ?? Infinity)
  const processes = Math.min(plan.processes, hardLimits?.processes ?? Infinity)
  const nproc = countsProcesses === true ? [`--nproc=${processes}`] : []
  return [prlimit, `--data=${memoryBytes}`, `--stack=${stackBytes}`, ...nproc, "--core=0", "--"]
}

/** When a signal ends the program, bubblewrap exits with 128 plus the signal's number. */
const SIGNALS: ReadonlyMap<number, string> = new Map(
  Object.entries({
    SIGILL: 4,
    SIGTRAP: 5,
    SIGABRT: 6,
    SIGBUS: 7,
    SIGFPE: 8,
    SIGKILL: 9,
    SIGSEGV: 11,
    SIGPIPE: 13,
    SIGTERM: 15,
    SIGSYS: 31,
  }).map(([name, number]) => [128 + number, name]),
)

/**
 * The exit of the program, derived from the exit of bubblewrap. The embedded interpreter notes an exit code of its own on standard error; any
 * other program that exits with such a code is taken to be ended by a signal.
 */
export const endOf = (exit: ProcessExit, stderr: string): ProcessExit => {
  const signal = exit.code === null || stderr.endsWith(`${ownExit(exit.code)}\n`) ? undefined : SIGNALS.get(exit.code)
  return signal === undefined ? exit : { code: null, signal }
}

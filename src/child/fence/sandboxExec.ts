/**
 * The fence on macOS: the profile of `sandbox-exec` for a plan, written by its documentation and never run; `docs/threats.md` says so.
 *
 * Guarantees: everything that the profile does not name is denied: files outside the plan, the network, signals to other processes.
 * Does not: bound memory, processes or the temporary folder, nor hide other processes.
 */
import type { FencePlan } from "./FencePlan.ts"

/** Folders that every program of the system reads. */
const SYSTEM = [
  "/usr",
  "/bin",
  "/sbin",
  "/System",
  "/Library",
  "/private/etc",
  "/private/var/db/timezone",
  "/dev/null",
  "/dev/urandom",
  "/dev/random",
]

const quoted = (path: string): string => `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`
const rule = (action: string, operation: string, paths: readonly string[]): readonly string[] =>
  paths.length === 0 ? [] : [`(${action} ${operation} ${paths.map((path) => `(subpath ${quoted(path)})`).join(" ")})`]

/** Folders for temporary files. */
const TEMPORARY = ["/private/tmp", "/private/var/folders"]

/** The arguments before the program and its own arguments. Later rules win. */
export const sandboxExec = (plan: FencePlan): readonly string[] => [
  "-p",
  [
    "(version 1)",
    "(deny default)",
    "(allow process-exec process-fork sysctl-read mach-lookup)",
    "(allow signal (target self))",
    "(allow file-read-metadata)",
    ...rule("allow", "file-read*", [...SYSTEM, ...plan.program, ...plan.roots, ...TEMPORARY]),
    ...rule("allow", "file-write*", [...plan.roots, ...TEMPORARY, "/dev/null"]),
    ...rule("deny", "file-write*", plan.readOnly),
    ...rule("deny", "file-read* file-write*", [...plan.hiddenFolders, ...plan.hiddenFiles]),
  ].join("\n"),
]

/**
 * The differences between operating systems in starting, watching and ending a process, as data: commands and options. Does not: run them, so that
 * tests on one system cover all. Linux has process groups and a signal at the parent's death; macOS and the BSDs have groups; Windows has neither.
 */
import type { SpawnOptions } from "node:child_process"
import type { ProcessSpec } from "../child/Process.ts"

export interface SystemCommand {
  readonly command: string
  readonly args: readonly string[]
}

export interface Start extends SystemCommand {
  readonly options: Pick<SpawnOptions, "detached" | "windowsHide" | "windowsVerbatimArguments">
  /**
   * How the process ends if the server is killed: by itself, at the end of its input; by the kernel; with its fence; by a guard process; not at all.
   */
  readonly endedBy: "itself" | "kernel" | "fence" | "guard" | "nobody"
}

/** `diesWithParent`: can `setpriv --pdeathsig` be used? It replaces itself by the program, so that the pid stays the same. */
export const startOf = (
  system: NodeJS.Platform,
  {
    command: program,
    args: given,
    endsWithStdin,
    forks,
    fence,
  }: Pick<ProcessSpec, "command" | "args" | "endsWithStdin" | "forks" | "fence">,
  diesWithParent: () => boolean,
): Start => {
  const command = fence?.program ?? program
  const args = fence === undefined ? given : [...fence.args, program, ...given]
  if (fence?.by === "bubblewrap") return { command, args, options: { detached: true }, endedBy: "fence" }
  if (system === "win32") {
    // cmd.exe reads its command line by rules of its own, which Node's quoting would spoil.
    const options = { detached: false, windowsHide: true, windowsVerbatimArguments: command === "cmd.exe" }
    return { command, args, options, endedBy: endsWithStdin ? "itself" : "nobody" }
  }
  const options = { detached: true }
  if (endsWithStdin) return { command, args, options, endedBy: "itself" }
  if (forks === true || system !== "linux" || !diesWithParent()) return { command, args, options, endedBy: "guard" }
  return { command: "setpriv", args: ["--pdeathsig", "KILL", command, ...args], options, endedBy: "kernel" }
}

/** The command of a guard: it waits for the end of its standard input, which the server holds open, and then kills the group. */
export const guardOf = (pid: number): SystemCommand => ({
  command: "/bin/sh",
  args: ["-c", 'while read -r _; do :; done; kill -9 "-$1"', "k3-mcp-guard", String(pid)],
})

/** The command that ends a process and its descendants; undefined on a system where a signal to the group does so. */
export const treeKillOf = (system: NodeJS.Platform, pid: number): SystemCommand | undefined =>
  system === "win32" ? { command: "taskkill", args: ["/PID", String(pid), "/T", "/F"] } : undefined

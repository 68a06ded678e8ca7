/** The command line of `k3`. Every flag there is stands in this file; another one is an error that names it. */
import { delimiter } from "node:path"

/** What K may do, and what it is told. */
export interface Options {
  readonly roots: readonly string[]
  /** Files and folders in them that K may not touch. */
  readonly closed: readonly string[]
  readonly shell: "allow" | "deny"
  /** Bytes. */
  readonly memory: number
  /** The script and what follows it: `_a`. */
  readonly args: readonly string[]
}

/** Code to run in order, and the name that errors in it go by. */
export type Source = { readonly kind: "file"; readonly path: string } | { readonly kind: "code"; readonly code: string }

export interface CommandLine extends Options {
  readonly mode: "run" | "mcp" | "test" | "help" | "version"
  readonly sources: readonly Source[]
}

/** What was wrong, in words. */
export type Problem = { readonly problem: string }

const SIZE = /^(\d+)(|B|KiB|MiB|GiB)$/
const SIZES: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["B", 1],
  ["KiB", 1024],
  ["MiB", 1024 ** 2],
  ["GiB", 1024 ** 3],
])

export const helpText = `k3: K3, the language of Kx's k.exe 3.2

Usage: k3 [FLAG …] [SCRIPT [ARG …]]
       k3 [FLAG …] --test FILE …

Runs the script, then the code of each -e, printing what the console would, and exits; 1 on an error. Without either it is a console
on a terminal, and runs its standard input as a script elsewhere. What stands behind the script is the script's, but for -e.

  -e CODE           run this code; may be given several times
  --roots FOLDERS   the folders that K may read and write, separated as in PATH; the default is the working folder
  --closed PATH     a file or folder in those that K may not touch; may be given several times
  --shell POLICY    allow or deny shell commands from K; the default is deny
  --memory SIZE     what K may use, such as 512MiB; the default is 1GiB
  --test            run files of cases, K and what it is to print, and say which differ; 1 when one does, 2 when a file cannot be read
  --mcp             be the child of a server: one line in, one reply out
  --                no flags follow
  -h, --help        this page
  -V, --version     the version

K3_HISTORY names the file that keeps the console's history. NO_COLOR turns colour off. MCP_DEBUG=1 traces evaluation on standard error.
`

export const readCommandLine = (argv: readonly string[], cwd: string): CommandLine | Problem => {
  let mode: CommandLine["mode"] = "run"
  let shell: Options["shell"] = "deny"
  let memory = SIZES.get("GiB")!
  const roots: string[] = []
  const closed: string[] = []
  const codes: string[] = []
  const positional: string[] = []
  for (let i = 0; i < argv.length; i++) {
    const given = argv[i]!
    if (given === "--") {
      positional.push(...argv.slice(i + 1))
      break
    }
    const behindScript = mode === "run" && positional.length > 0
    if (!given.startsWith("-") || given === "-" || (behindScript && given !== "-e")) {
      positional.push(given)
      continue
    }
    const [, flag, attached] = /^(--[^=]+)=(.*)$/s.exec(given) ?? [given, given, undefined]
    switch (flag) {
      case "-h":
      case "--help":
        mode = "help"
        break
      case "-V":
      case "--version":
        mode = "version"
        break
      case "--mcp":
        mode = "mcp"
        break
      case "--test":
        mode = "test"
        break
      case "-e":
      case "--roots":
      case "--closed":
      case "--shell":
      case "--memory": {
        const value = attached ?? argv[++i]
        if (value === undefined) return { problem: `${flag} needs a value` }
        if (flag === "-e") codes.push(value)
        else if (flag === "--roots") roots.push(...value.split(delimiter).filter((root) => root !== ""))
        else if (flag === "--closed") closed.push(value)
        else if (flag === "--shell") {
          if (value !== "allow" && value !== "deny") return { problem: `--shell is ${JSON.stringify(value)}; allowed: allow, deny` }
          shell = value
        } else {
          const size = SIZE.exec(value)
          if (size === null) return { problem: `--memory is ${JSON.stringify(value)}; allowed: a number of bytes, or such as 512MiB` }
          memory = Number(size[1]) * SIZES.get(size[2]!)!
        }
        continue
      }
      default:
        return { problem: `no such flag: ${flag}; see k3 --help` }
    }
    if (attached !== undefined) return { problem: `${flag} takes no value` }
    if (mode === "help" || mode === "version") break
  }
  if (mode === "mcp" && (positional.length > 0 || codes.length > 0))
    return { problem: `--mcp takes no code: ${JSON.stringify(positional[0] ?? codes[0])}; load a script with \\l` }
  if (mode === "test" && codes.length > 0) return { problem: `--test takes files, no code: ${JSON.stringify(codes[0])}` }
  if (mode === "test" && positional.length === 0) return { problem: "--test needs a file" }
  const files = (mode === "test" ? positional : positional.slice(0, 1)).map((path): Source => ({ kind: "file", path }))
  return {
    mode,
    sources: [...files, ...codes.map((code): Source => ({ kind: "code", code }))],
    roots: roots.length > 0 ? roots : [cwd],
    closed,
    shell,
    memory,
    args: positional,
  }
}

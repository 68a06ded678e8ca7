/** Parses the command line of `k3`. Guarantees: an unknown flag is a problem that names it. */
import { delimiter } from "node:path"
import { parseArgs } from "node:util"
import { meant } from "../k3/text/nearest.ts"

/** The limits of the interpreter, and the arguments that K sees. */
export interface ConsoleOptions {
  readonly roots: readonly string[]
  /** Files and folders below the roots that K may not touch. */
  readonly closed: readonly string[]
  readonly shell: "allow" | "deny"
  /** Bytes. */
  readonly memory: number
  /** The script and its arguments: `_a`. */
  readonly args: readonly string[]
}

/** A piece of code to run: a script, or the code of an `-e`. */
export type CodeSource = { readonly kind: "file"; readonly path: string } | { readonly kind: "code"; readonly code: string }

export interface CommandLine extends ConsoleOptions {
  readonly mode: "run" | "mcp" | "lsp" | "test" | "attach" | "help" | "version"
  readonly sources: readonly CodeSource[]
  /** The file for the picture of the last statement's value. */
  readonly plot?: string | undefined
  /** The session that `--attach` attaches to. */
  readonly session: string
}

/** A sentence on a command line that cannot be used. */
export type CommandLineProblem = { readonly problem: string }

/** The least memory in which K runs: the server's least for a child. */
const LEAST_MEMORY = 32 * 1024 ** 2

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
       k3 --attach [URL|FOLDER] [--session NAME]

Runs the script, then the code of each -e, printing what the console would, and exits; 1 on an error. Without either it is a console
on a terminal, and runs its standard input as a script elsewhere. Arguments after the script are the script's, except -e.

  -e CODE           run this code; may be given several times
  --plot FILE       draw the value of the last statement into FILE, .png or .svg, and say what it shows
  --roots FOLDERS   the folders that K may read and write, separated as in PATH; the default is the working folder
  --root FOLDER     one more such folder, whose name may contain the separator; may be given several times
  --closed PATH     a file or folder in these folders that K may not touch; may be given several times
  --shell POLICY    allow or deny shell commands from K; the default is deny
  --memory SIZE     what K may use, such as 512MiB, at least 32MiB; the default is 1GiB
  --test            run files of cases, K and what it is to print, and say which differ; 1 when one does, 2 when a file cannot be read
  --attach          a console on the session that an agent works in: of the server that listens for this working folder, for FOLDER, or
                    at URL, whose token K3_TOKEN holds; --session names another session than main
  --mcp             be the child of a server: one line in, one reply out
  --lsp             be the language server of an editor, on standard input and output; --stdio, which editors add, says the same
  --                no flags follow
  -h, --help        this page
  -V, --version     the version

K3_HISTORY names the file that keeps the console's history. NO_COLOR turns colour off. MCP_DEBUG=1 traces evaluation on standard error.
`

/** The way to give code in the modes that take none on the command line. */
const instead: Readonly<Partial<Record<CommandLine["mode"], string>>> = { mcp: "load a script with \\l", lsp: "the editor opens texts" }

/** All flags. `-e` needs a long name too: `parseArgs` knows no flag with only a short one. */
const flags = {
  e: { type: "string", short: "e" },
  plot: { type: "string" },
  roots: { type: "string" },
  root: { type: "string" },
  closed: { type: "string" },
  shell: { type: "string" },
  memory: { type: "string" },
  test: { type: "boolean" },
  mcp: { type: "boolean" },
  attach: { type: "boolean" },
  session: { type: "string" },
  lsp: { type: "boolean" },
  stdio: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "V" },
} as const
const types: ReadonlyMap<string, "string" | "boolean"> = new Map(Object.entries(flags).map(([name, { type }]) => [name, type]))

/** The values of each flag, and the arguments that are no flags: files, or a script and its arguments. */
interface Given {
  readonly mode: CommandLine["mode"]
  readonly values: ReadonlyMap<string, readonly string[]>
  readonly positional: readonly string[]
}

/** The problem of the first rule that is broken. */
const firstOf = (rules: readonly (readonly [isBroken: boolean, problem: string])[]): CommandLineProblem | undefined => {
  const broken = rules.find(([isBroken]) => isBroken)
  return broken && { problem: broken[1] }
}

const sorted = (argv: readonly string[]): Given | CommandLineProblem => {
  const values = new Map<string, string[]>()
  const positional: string[] = []
  let mode: CommandLine["mode"] = "run"
  let last = -1
  for (const token of parseArgs({ args: [...argv], options: flags, strict: false, allowPositionals: true, tokens: true }).tokens) {
    if (token.kind === "positional") positional.push(token.value)
    if (token.kind !== "option") continue
    const { name, rawName, index, value, inlineValue } = token
    const written = argv[index]!
    if (mode === "run" && positional.length > 0 && !written.startsWith("-e")) {
      // `-abc` gives three tokens with the same index.
      if (index !== last) positional.push(written)
      if (inlineValue === false) positional.push(value)
      last = index
      continue
    }
    const type = rawName === "--e" ? undefined : types.get(name)
    const problem = firstOf([
      [type === undefined, `no such flag: ${rawName}${meant(name, [...types.keys()], "--")}; see k3 --help`],
      [type === "boolean" && value !== undefined, `${rawName} takes no value`],
      [type === "string" && value === undefined, `${rawName} needs a value`],
      [name === "stdio" && mode !== "lsp", "--stdio belongs to --lsp, and stands behind it"],
    ])
    if (problem !== undefined) return problem
    if (name === "help" || name === "version") return { mode: name, values, positional }
    if (name === "mcp" || name === "lsp" || name === "test" || name === "attach") mode = name
    else if (value !== undefined) values.set(name, [...(values.get(name) ?? []), value])
  }
  return { mode, values, positional }
}

export const readCommandLine = (argv: readonly string[], cwd: string): CommandLine | CommandLineProblem => {
  const given = sorted(argv)
  if ("problem" in given) return given
  const { mode, values, positional } = given
  const all = (name: keyof typeof flags): readonly string[] => values.get(name) ?? []
  const shell = all("shell").at(-1) ?? "deny"
  if (shell !== "allow" && shell !== "deny") return { problem: `--shell is ${JSON.stringify(shell)}; allowed: allow, deny` }
  const asked = all("memory").at(-1) ?? "1GiB"
  const [, size, unit] = SIZE.exec(asked) ?? []
  const memory = Number(size) * (SIZES.get(unit ?? "") ?? 1)
  const codes = all("e")
  const first = positional[0] ?? codes[0]
  const sessions = all("session")
  const plot = all("plot").at(-1)
  const isPlotted = plot !== undefined
  const quoted = JSON.stringify
  const problem = firstOf([
    [!(memory >= LEAST_MEMORY), `--memory is ${quoted(asked)}; allowed: a number of bytes, or such as 512MiB; at least 32MiB`],
    [mode in instead && first !== undefined, `--${mode} takes no code: ${quoted(first)}; ${instead[mode]}`],
    [mode === "test" && codes.length > 0, `--test takes files, no code: ${quoted(codes[0])}`],
    [mode === "test" && positional.length === 0, "--test needs a file"],
    [
      mode === "attach" && (positional.length > 1 || codes.length > 0),
      `--attach takes one address or folder, and no code: ${quoted(codes[0] ?? positional[1])}`,
    ],
    [mode !== "attach" && sessions.length > 0, "--session goes with --attach"],
    [isPlotted && mode !== "run", "--plot goes with a script or -e"],
    [isPlotted && !/\.(?:png|svg)$/.test(plot), `--plot is ${quoted(plot)}; allowed: a file .png or .svg`],
    [isPlotted && codes.length === 0 && (positional[0] ?? "-") === "-", "--plot needs a script or -e CODE"],
  ])
  if (problem !== undefined) return problem
  const files = (mode === "test" ? positional : positional.slice(0, 1)).map((path): CodeSource => ({ kind: "file", path }))
  const roots = [...all("roots").flatMap((folders) => folders.split(delimiter).filter((root) => root !== "")), ...all("root")]
  return {
    mode,
    plot,
    session: sessions.at(-1) ?? "main",
    sources: [...files, ...codes.map((code): CodeSource => ({ kind: "code", code }))],
    roots: roots.length > 0 ? roots : [cwd],
    closed: all("closed"),
    shell,
    memory,
    args: positional,
  }
}

/**
 * Reads the server's command line, its configuration file and the environment. Guarantees: an unknown flag, a stray argument or an unreadable
 * file is a problem. Does not: judge the values of settings (`Settings.ts`).
 */
import { readFileSync } from "node:fs"
import { buildPlace } from "./buildPlace.ts"
import { delimiter, resolve } from "node:path"
import { parseArgs } from "node:util"
import * as Result from "effect/Result"
import { meant } from "../k3/text/nearest.ts"
import { lookup } from "../lookup.ts"
import { withFallback } from "../repl/withFallback.ts"
import { documentation, flags, type Sources } from "../Settings.ts"
import { openFlags, type OpenRequest, openRequest } from "./openRequest.ts"
import { stateFolder } from "./stateFolder.ts"
import { tokenFlags, type TokenRequest, tokenRequest } from "./tokenRequest.ts"

/** The flags that are no settings. */
const modes = {
  config: { type: "string" },
  check: { type: "boolean" },
  "print-config": { type: "boolean" },
  "print-registration": { type: "boolean" },
  "no-stdio": { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "V" },
} as const

const options = { ...flags, roots: { type: "string", multiple: true }, ...modes, ...tokenFlags, ...openFlags } as const

export interface ServerCommandLine {
  readonly mode: "serve" | "check" | "print-config" | "print-registration" | "token" | "open" | "help" | "version"
  readonly token: TokenRequest | undefined
  readonly open: OpenRequest | undefined
  /** Is there a client on stdin and stdout? */
  readonly stdio: boolean
  readonly sources: Sources
}

const refuse = (problem: string) => Result.fail([problem])

/** The command that a flag belongs to, if the flag was given with another command. */
const misplaced = (name: string, token: TokenRequest | undefined, open: OpenRequest | undefined): string | undefined => {
  const isOfToken = Object.hasOwn(tokenFlags, name)
  const isOfOpen = Object.hasOwn(openFlags, name)
  if ((isOfToken && token?.action === "add") || (isOfOpen && open !== undefined)) return undefined
  return isOfToken ? "token add" : isOfOpen ? "open" : undefined
}

/** The suggestion for a word that is no argument: it may be a flag without its dashes, or a command that is spelt wrong. */
const intended = (word: string): string => (Object.hasOwn(modes, word) ? ` (did you mean --${word}?)` : meant(word, ["open", "token"]))

export const readCommandLine = (args: readonly string[] = process.argv.slice(2)): Result.Result<ServerCommandLine, readonly string[]> => {
  const { values: given, tokens } = parseArgs({ args, options, strict: false, tokens: true, allowPositionals: true })
  // Several flags are one list.
  const values = { ...given, roots: given.roots?.join(delimiter) }
  const words = tokens.flatMap((each) => (each.kind === "positional" ? [each.value] : []))
  const token = tokenRequest(words, values)
  const open = openRequest(words, values)
  for (const each of tokens) {
    if (each.kind === "positional" && token === undefined && open === undefined)
      return refuse(
        words[0] === "token"
          ? "after token one of show, add NAME, list and remove NAME is expected; see k3-mcp --help"
          : `no argument is expected: ${JSON.stringify(each.value)}${intended(each.value)}; see k3-mcp --help`,
      )
    if (each.kind !== "option") continue
    const command = misplaced(each.name, token, open)
    if (command !== undefined) return refuse(`${each.rawName} goes with k3-mcp ${command}; see k3-mcp --help`)
    const option = lookup(options, each.name)
    if (option === undefined)
      return refuse(`no such flag: ${each.rawName}${meant(each.name, Object.keys(options), "--")}; see k3-mcp --help`)
    if (option.type === "string" && each.value === undefined) return refuse(`${each.rawName} needs a value`)
    if (option.type === "boolean" && each.value !== undefined) return refuse(`${each.rawName} takes no value`)
  }
  const asked = (["help", "version", "print-config", "print-registration", "check"] as const).find((each) => values[each] === true)
  const mode = asked ?? (token !== undefined ? "token" : open !== undefined ? "open" : "serve")
  const stdio = values["no-stdio"] !== true
  const cwd = withFallback(() => process.cwd(), undefined)
  if (cwd === undefined) return refuse("the working folder was removed: start k3-mcp in one that is there")
  const sources: Sources = {
    cwd,
    resolvePath: resolve,
    pathDelimiter: delimiter,
    stateFolder: stateFolder(cwd),
    buildPlace: buildPlace(cwd),
    flags: values,
    environment: process.env,
  }
  if (typeof values["config"] !== "string") return Result.succeed({ mode, token, open, stdio, sources })
  const path = values["config"]
  return Result.try({
    try: () => {
      // Some editors write a byte order mark.
      const text = readFileSync(path, "utf8").replace(/^\uFEFF/, "")
      return { mode, token, open, stdio, sources: { ...sources, file: { path, content: JSON.parse(text) as unknown } } }
    },
    catch: (error) => [`--config ${path}: ${error instanceof Error ? error.message : String(error)}`],
  })
}

const row = (left: string, right: string): string => `  ${left.padEnd(28)}${right}`

export const helpText = (): string =>
  [
    "k3-mcp: an MCP server over stdio that gives an AI agent a persistent, supervised K3 session",
    "",
    "Usage: k3-mcp [FLAG …]        started by an MCP host, which speaks to it over stdin and stdout",
    "",
    row("--check", "prints what would run: engine, build, hash, launch time, the answer to 1+1; exit code 0 or 1"),
    row("--print-config", "prints every setting, its value and its source"),
    row("--listen ADDRESS:PORT", "serves MCP over HTTP too; with --no-stdio over HTTP alone"),
    row("--print-registration", "prints, for each host, how to register a server that listens there"),
    row("open [URL|FOLDER]", "opens the page of a server that listens, in the browser; --print prints its link instead,"),
    row("", "--read-only, --session NAME"),
    row("token show", "prints the token that clients over HTTP send"),
    row("token add NAME", "makes a token for a principal with a space of its own, and prints it once; --read-only, --expires 30d,"),
    row("", "--sessions N, --memory SIZE, --evaluations N at once, --calls N a minute; --as OTHER: in the space of OTHER"),
    row("token list", "lists the tokens of principals"),
    row("token remove NAME", "removes a token; the server need not be started anew"),
    row("--config FILE", "reads settings from a JSON file"),
    row("--help, --version", "prints this page, or the version"),
    "",
    "Settings, by flag, key of the JSON file, environment variable, in that order:",
    "",
    ...documentation.flatMap(({ name, flag, variable, default: fallback, doc }) => [
      row(flag, `${doc} (default ${fallback})`),
      row("", `key ${name}, variable ${variable}`),
    ]),
    "",
  ].join("\n")

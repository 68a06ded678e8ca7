/**
 * The server program. Reads the command line and the settings, answers a client's first message, and loads everything else (`program.ts`) after
 * that reply, since loading takes longest. Exits with code 0 when the client is gone or SIGINT, SIGTERM or SIGHUP arrives, 1 on a failed check
 * or a defect of the server, 2 on settings that cannot be used.
 */
import { fileURLToPath } from "node:url"
import * as Result from "effect/Result"
import { version } from "../package.json" with { type: "json" }
import { connect } from "./mcp/connection.ts"
import { helpText, readCommandLine } from "./platform/commandLine.ts"
import { streams } from "./platform/NodeStdio.ts"
import type { OpenRequest } from "./platform/openRequest.ts"
import { print } from "./platform/print.ts"
import type { TokenRequest } from "./platform/tokenRequest.ts"
import { namesGiven, type PrintedSetting, resolve, type SettingValues } from "./Settings.ts"
import { visible } from "./visible.ts"

/** `program.ts` is loaded after this time, ms, if no message has come. */
const SILENCE = 200

/** Nobody has to read it: an error of standard error ends nothing. */
const complain = (message: string): void => {
  process.stderr.once("error", () => {}).write(`${visible(message).replaceAll(/^/gm, "k3-mcp: ")}\n`)
}

const refuse = (...problems: readonly string[]): void => {
  complain(problems.join("\n"))
  process.exitCode = 2
}

const originLine = ({ name, value, source, from }: PrintedSetting): string =>
  `${name.padEnd(18)} ${value.padEnd(24)} ${source} ${from}`.trimEnd()

const parts = (settings: SettingValues) => ({
  settings,
  version,
  embeddedProgram: fileURLToPath(new URL("k3.js", import.meta.url)),
  pageFolder: fileURLToPath(new URL("page", import.meta.url)),
})

/** Serves HTTP or a cluster, without stdio. */
const listenOnly = async (settings: SettingValues): Promise<void> => {
  if (settings.listen === null && settings.cluster === null)
    return refuse("--no-stdio needs --listen ADDRESS:PORT: nobody could reach the server")
  const program = await import("./program.ts")
  program.serve(undefined, parts(settings))
}

/** May the server listen where the settings say? If not, the reason is printed. */
const mayListen = async (settings: SettingValues, isHeard: boolean, origins: readonly PrintedSetting[]): Promise<boolean> => {
  if (settings.listen === null && settings.cluster === null) return true
  const { whyNotListen, whyNotMember } = await import("./platform/exposure.ts")
  const called = namesGiven(origins)
  const why = whyNotListen(settings, called) ?? whyNotMember(settings, { node: process.version, isHeard, called })
  if (why !== undefined) refuse(why)
  return why === undefined
}

/** Prints the text, or the sentence with which making it fails. */
const printOrRefuse = (text: () => string): void => {
  try {
    print(text())
  } catch (error) {
    refuse((error as Error).message)
  }
}

const runTokenCommand = async (request: TokenRequest, settings: SettingValues): Promise<void> => {
  const { tokenCommand } = await import("./platform/tokenCommand.ts")
  printOrRefuse(() => tokenCommand(request, settings))
}

/** Prints the configuration with which hosts send the local person's token. */
const printRegistration = async ({ stateDir, listen, publicUrl }: SettingValues): Promise<void> => {
  if (listen === null || listen.port === 0)
    return refuse("--print-registration needs --listen ADDRESS:PORT with the port that the server has")
  const { tokenText } = await import("./platform/token.ts")
  const { registration } = await import("./platform/registration.ts")
  printOrRefuse(() => {
    // Makes the token. Without one, hosts could not connect.
    tokenText(stateDir)
    return registration(listen, publicUrl)
  })
}

const openPage = async (request: OpenRequest): Promise<void> => {
  const { open } = await import("./attach/open.ts")
  const opened = await open(request, process.env)
  if ("problem" in opened) return refuse(opened.problem)
  print(opened.text)
}

const serve = (settings: SettingValues): void => {
  // Until `program.ts` is loaded and handles signals itself: no child runs yet.
  const leave = (): void => process.exit(0)
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const
  for (const signal of signals) process.once(signal, leave)
  let loading = false
  const load = async (): Promise<void> => {
    if (loading) return
    loading = true
    clearTimeout(silence)
    const program = await import("./program.ts")
    for (const signal of signals) process.off(signal, leave)
    program.serve(connection, parts(settings))
  }
  const silence = setTimeout(load, SILENCE)
  const connection = connect(streams, { name: "k3-mcp", version }, () => void load())
}

const run = async (): Promise<void> => {
  const asked = readCommandLine()
  if (Result.isFailure(asked)) return refuse(...asked.failure)
  const { mode, token, open, stdio, sources } = asked.success
  if (mode === "help") return print(helpText())
  if (mode === "version") return print(`${version}\n`)
  if (mode === "open") return openPage(open!)
  const resolved = resolve(sources)
  if (Result.isFailure(resolved)) return refuse(...resolved.failure)
  const { values, origins, warnings } = resolved.success
  for (const warning of warnings) complain(warning)
  if (mode === "print-config") return print(`${origins.map(originLine).join("\n")}\n`)
  if (mode === "serve") {
    if (!(await mayListen(values, stdio, origins))) return
    return stdio ? serve(values) : listenOnly(values)
  }
  if (mode === "token") return runTokenCommand(token!, values)
  if (mode === "print-registration") return printRegistration(values)
  const { check } = await import("./program.ts")
  check(parts(values))
}

void run()
